// Imports the argument and prints the traces that this leaves as JSON.
import { Session } from "node:inspector";
import type { Profiler } from "node:inspector";
import { registerHooks } from "node:module";

const loaded: string[] = [];
registerHooks({
  resolve(specifier, context, nextResolve) {
    const resolved = nextResolve(specifier, context);
    loaded.push(resolved.url);
    return resolved;
  },
});

const environmentReads: string[] = [];
process.env = new Proxy(process.env, {
  get(target, name) {
    environmentReads.push(String(name));
    return Reflect.get(target, name);
  },
  has(target, name) {
    environmentReads.push(String(name));
    return Reflect.has(target, name);
  },
  ownKeys(target) {
    environmentReads.push("*");
    return Reflect.ownKeys(target);
  },
});

// Node's own loader reads the environment too, for any import.
await import("./empty.js");
const readByNode = new Set(environmentReads);
loaded.length = 0;

const session = new Session();
session.connect();
session.post("Profiler.enable");
session.post("Profiler.startPreciseCoverage", { callCount: true });

const globalsBefore = new Set(Reflect.ownKeys(globalThis));
const listenersBefore = new Set(process.eventNames());
await import(process.argv[2] ?? "");

let scripts: Profiler.ScriptCoverage[] = [];
session.post("Profiler.takePreciseCoverage", (error, { result }) => {
  if (error !== null) throw error;
  scripts = result.filter(({ url }) => loaded.includes(url));
});
session.disconnect();
// The first function of a script is the module itself.
const functions = scripts.flatMap(({ functions: [, ...inside] }) => inside);

const traces = {
  loaded,
  calls: functions.reduce((sum, { ranges }) => sum + (ranges[0]?.count ?? 0), 0),
  environmentReads: environmentReads.filter((name) => !readByNode.has(name)),
  resources: process.getActiveResourcesInfo(),
  globals: Reflect.ownKeys(globalThis).filter((name) => !globalsBefore.has(name)).map(String),
  listeners: process.eventNames().filter((name) => !listenersBefore.has(name)).map(String),
};
console.log(JSON.stringify(traces));
