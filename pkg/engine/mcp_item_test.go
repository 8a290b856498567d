package engine

import (
	"encoding/json"
	"testing"
)

func TestParameterSchema(t *testing.T) {
	for name, c := range map[string]struct {
		schema string
		kept   bool
	}{
		"plain":                       {`{"type":"object","properties":{"a":{"type":"string"}}}`, true},
		"required":                    {`{"type":"object","properties":{"a":{"pattern":"^x"}},"required":["a"]}`, true},
		"refers to itself":            {`{"type":"object","properties":{"a":{"$ref":"#/$defs/b"}},"$defs":{"b":{"type":"integer"}}}`, true},
		"refers to the network":       {`{"type":"object","properties":{"a":{"$ref":"https://example.org/s.json"}},"required":["a"]}`, false},
		"refers to what is not there": {`{"type":"object","properties":{"a":{"$ref":"#/$defs/none"}},"required":["a"]}`, false},
		"not of an object":            {`{"type":"string"}`, false},
		"no regular expression":       {`{"type":"object","properties":{"a":{"pattern":"("}},"required":["a"]}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			var schema map[string]any
			if err := json.Unmarshal([]byte(c.schema), &schema); err != nil {
				t.Fatal(err)
			}
			if _, kept := parameterSchema(schema)["properties"]; kept != c.kept {
				t.Errorf("kept: %t", kept)
			}
		})
	}
}
