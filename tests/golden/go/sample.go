// Package tide tells when the water comes.
package tide

import (
	"fmt"
	str "strings"
)

// ErrNoStation is returned for an unknown station.
var ErrNoStation = fmt.Errorf("tide: no such station")

const (
	Low  = iota
	Mid
	High
)

const Version = "1.2"

// Level is the height of the water.
type Level float64

type (
	// Station measures the water.
	Station struct {
		Name string
		*Sensor
		levels []Level
	}
	Reader interface {
		Read(name string) (Level, error)
	}
)

type Cache[K comparable, V any] struct {
	values map[K]V
}

// Read gives the last level.
//
// It never blocks.
func (s *Station) Read(name string) (Level, error) {
	if !str.EqualFold(s.Name, name) {
		return 0, ErrNoStation
	}
	last := func() Level {
		return s.levels[len(s.levels)-1]
	}
	return last(), nil
}

func (c Cache[K, V]) Get(key K) (value V, ok bool) { value, ok = c.values[key]; return }

func Map[T, U any](
	values []T,
	change func(T) U,
) []U {
	changed := make([]U, 0, len(values))
	for _, value := range values {
		changed = append(changed, change(value))
	}
	return changed
}

func init() { fmt.Println(Version) }
