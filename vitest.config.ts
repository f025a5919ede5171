// Editors look for this name; the commands name the workspace file themselves.
export { default } from "./vitest.workspace.ts";
