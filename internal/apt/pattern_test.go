package apt

import (
	"testing"

	"github.com/pdprov/pdprov/stages/stage"
)

func TestForeignArchitectureIsNamed(t *testing.T) {
	const body = "arch\tamd64\nrow\tlibcuda1\tamd64\thi \t580.95.05-1\nrow\tlibcuda1\ti386\thi \t580.95.05-1\n" +
		"row\tlibcuda2\tall\tii \t1\nexit\t0\n"
	list, unknown, ok := Match("libcuda*", stage.Facts{dpkgID + "libcuda*": {Outcome: stage.Answered, Body: []byte(body)}})
	if !ok || len(list) != 3 || list[0].Name != "libcuda1" || list[1].Name != "libcuda1:i386" || list[2].Name != "libcuda2" || list[1].Held.Text != "yes" {
		t.Errorf("%+v, %+v", list, unknown)
	}
}
