package stage

// Type is the type of an attribute.
type Type int

// Types of attributes, and the Go type that Config holds for each.
const (
	String     Type = iota // string
	Bool                   // bool
	Number                 // float64
	StringList             // []string
	StringMap              // map[string]string
	Ref                    // string: the address of a stage, or with OrPath a path
	RefList                // []string: addresses of stages
	LocalFile              // LocalData: the path given, relative to the file that names it
)

// Attr describes one attribute of a kind's block.
type Attr struct {
	Name     string
	Type     Type
	Required bool
	// Default is used where the block says nothing; nil leaves the attribute
	// unset. Its Go type is the one that Type names.
	Default any
	// OneOf limits a String to these values; empty allows any.
	OneOf []string
	// Kinds limits a Ref or RefList to stages of these kinds; empty allows any.
	Kinds []string
	// OrPath lets a Ref be an absolute path of the host in the place of a stage.
	OrPath bool
	// Secrets says that a sensitive value may go in: the kind hides it, or refuses it
	// in words of its own. Into any other attribute no sensitive value is let.
	Secrets bool
	Doc     string
}

// LocalData is a file of the controller, read while the plan was evaluated.
type LocalData struct {
	Path string // as given
	Data []byte
}

// Config is a decoded block. Unset attributes have no entry.
type Config struct {
	Values map[string]any
	// Secret holds the names of attributes that a sensitive value went into.
	Secret map[string]bool
	// SecretKeys holds the names of those among them where it went into the keys of a map.
	SecretKeys map[string]bool
}

// Has says whether an attribute is set (by the block or by its default).
func (c Config) Has(name string) bool { _, ok := c.Values[name]; return ok }

// Text is a String or Ref attribute, "" when unset.
func (c Config) Text(name string) string { s, _ := c.Values[name].(string); return s }

// Bool is a Bool attribute, false when unset.
func (c Config) Bool(name string) bool { b, _ := c.Values[name].(bool); return b }

// Number is a Number attribute, 0 when unset.
func (c Config) Number(name string) float64 { n, _ := c.Values[name].(float64); return n }

// List is a StringList or RefList attribute, nil when unset.
func (c Config) List(name string) []string { l, _ := c.Values[name].([]string); return l }

// Map is a StringMap attribute, nil when unset.
func (c Config) Map(name string) map[string]string {
	m, _ := c.Values[name].(map[string]string)
	return m
}

// File is a LocalFile attribute.
func (c Config) File(name string) (LocalData, bool) {
	d, ok := c.Values[name].(LocalData)
	return d, ok
}
