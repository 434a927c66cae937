// Package acceptance runs pdprov as a person would, on disposable lab hosts: its
// scripts (testdata/*.txtar) say in plain words what they show.
package acceptance
