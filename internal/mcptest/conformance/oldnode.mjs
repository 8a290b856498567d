// Lets the suite start on Node.js 20: it imports fs.globSync, which came with 22, for a command that the tests do not use.
import { register } from "node:module";

const data = (text) => "data:text/javascript," + encodeURIComponent(text);
const fs = data(`export * from "node:fs"; export { default } from "node:fs"; export const globSync = undefined;`);

register(data(`
export const resolve = (name, context, next) =>
  name === "fs" && context.parentURL.endsWith("/conformance/dist/index.js")
    ? { url: ${JSON.stringify(fs)}, shortCircuit: true }
    : next(name, context);
`));
