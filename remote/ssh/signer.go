package ssh

import (
	"fmt"
	"io"
	"net"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// agentTime is what an agent has to list its keys, and agentSignTime to sign: it may
// ask the person, or wait for a touch.
const (
	agentTime     = 5 * time.Second
	agentSignTime = 2 * time.Minute
)

// openAgent lists the agent's keys. An agent that does not answer is told as a key
// that was left out: other keys may do.
func (o *offer) openAgent(socket string) {
	if socket == "" {
		return
	}
	if err := o.listAgent(socket); err != nil {
		o.left = append(o.left, fmt.Sprintf("the agent at %s: %s", socket, err))
	}
}

func (o *offer) listAgent(socket string) error {
	conn, err := net.DialTimeout("unix", socket, agentTime)
	if err != nil {
		return err
	}
	o.agent = conn
	conn.SetDeadline(time.Now().Add(agentTime))
	client := agent.NewClient(conn)
	keys, err := client.List()
	if err != nil {
		return err
	}
	signers, err := client.Signers()
	if err != nil {
		return err
	}
	for i, signer := range signers {
		name := ssh.FingerprintSHA256(signer.PublicKey())
		if i < len(keys) && keys[i].Comment != "" {
			name = keys[i].Comment
		}
		o.held = append(o.held, held{&agentSigner{signer, o}, name})
	}
	return nil
}

// agentSigner gives the agent, and the person behind it, time to sign.
type agentSigner struct {
	ssh.Signer
	o *offer
}

func (a *agentSigner) SignWithAlgorithm(rand io.Reader, data []byte, algorithm string) (*ssh.Signature, error) {
	defer a.o.pause()()
	a.o.agent.SetDeadline(time.Now().Add(agentSignTime))
	return a.Signer.(ssh.AlgorithmSigner).SignWithAlgorithm(rand, data, algorithm)
}

// fileSigner shows a public key and unlocks the private one when it must sign.
type fileSigner struct {
	public ssh.PublicKey
	k      *keyFile
	o      *offer
}

func (f *fileSigner) PublicKey() ssh.PublicKey { return f.public }

func (f *fileSigner) Sign(rand io.Reader, data []byte) (*ssh.Signature, error) {
	return f.SignWithAlgorithm(rand, data, "")
}

func (f *fileSigner) SignWithAlgorithm(rand io.Reader, data []byte, algorithm string) (*ssh.Signature, error) {
	defer f.o.pause()()
	signer, err := f.k.unlock(f.o.d.ask)
	if err != nil {
		f.o.locked = true
		return nil, err
	}
	return signer.(ssh.AlgorithmSigner).SignWithAlgorithm(rand, data, algorithm)
}
