// Package agentfile reads the items of kind agent: YAML files with an agent, the prompts that it speaks by and the models
// that these ask, or with prompts and models alone that other files use. It is pure: whoever calls it finds and verifies
// the files.
package agentfile
