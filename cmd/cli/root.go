package cli

import "github.com/spf13/cobra"

const long = `pdprov brings hosts to what plan files say, over SSH, and tells where they differ.

A command reads the plan files and directories that it is given; without any it reads
*.hcl in the current directory.

Exit status: 0 in sync or done; 1 error; 2 changes pending (plan --detailed-exitcode)
or drift (audit); 3 a proof failed; 4 a host is unreachable or an answer is missing, so
the result is unknown. Where several hold, 1 beats 4 beats 3 beats 2.`

// root is the tree of all commands.
func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use: "pdprov", Short: "Bring hosts to what plan files say", Long: long,
		SilenceErrors: true, SilenceUsage: true, Version: versionLine(),
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.PersistentFlags().BoolVar(&a.plain, "no-color", false, "no colours and no lines that are drawn over")
	root.AddCommand(
		a.validateCommand(), a.fmtCommand(), a.planCommand(), a.applyCommand(), a.auditCommand(),
		a.factsCommand(), a.statusCommand(), a.logsCommand(), a.attachCommand(), a.unlockCommand(),
		a.graphCommand(), a.lockCommand(), a.versionCommand(),
	)
	return root
}
