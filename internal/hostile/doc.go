// Package hostile is what an attacker would try, as data: names, texts, files, links and signatures that the tests of
// other packages hand to rye. Only tests import it. docs/threat-model.md says which test uses what against which threat.
package hostile
