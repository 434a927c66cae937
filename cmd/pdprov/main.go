// Command pdprov brings hosts to what plan files say, and tells where they differ.
package main

import (
	"os"

	"github.com/pdprov/pdprov/cmd/cli"
)

func main() { os.Exit(cli.Main()) }
