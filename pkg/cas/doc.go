// Package cas keeps bytes and JSON documents under the digest of their content. What is stored is never changed: the same
// content has the same name, and a name with other content behind it is damage.
package cas
