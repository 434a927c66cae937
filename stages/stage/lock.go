package stage

// Locker is a kind whose stages can keep a lock: a file of the controller that a program
// makes of another one, for pdprov lock.
type Locker interface {
	// Lock says how the lock of a stage is made; false where it is not made by pdprov.
	Lock(in Instance) (Resolution, bool, []Finding)
}

// Resolution is how a lock is made. It runs on the controller, and only when a person
// asks for it: no plan depends on what an index says today.
type Resolution struct {
	From, To string   // the attributes, of type LocalFile, that name the two files
	Program  string   // looked for in PATH
	Remedy   string   // what to do where the program is missing
	Args     []string // with FromFile and ToFile in the place of the two paths
	Env      map[string]string
}

// Stand-ins for the paths of the two files in Resolution.Args.
const (
	FromFile = "\x00from"
	ToFile   = "\x00to"
)
