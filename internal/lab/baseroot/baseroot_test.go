package baseroot

import (
	"context"
	"os"
	"testing"
)

func TestBuildOnce(t *testing.T) {
	t.Log(Ensure(context.Background(), os.Stderr))
}
