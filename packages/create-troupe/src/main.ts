#!/usr/bin/env node
import { resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { runCommand } from "./command.ts";
import { install } from "./install.ts";
import { nodeFault } from "./versions.ts";

const fault = nodeFault(process.versions.node);
if (fault !== undefined) {
  process.stderr.write(`${fault}\n`);
  process.exit(1);
}

// Without a terminal the command asks nothing, because it would wait forever for an answer.
const isTerminal = process.stdin.isTTY && process.stdout.isTTY && process.env["CI"] === undefined;
const terminal = isTerminal ? createInterface({ input: process.stdin, output: process.stdout }) : undefined;

process.exitCode = await runCommand(process.argv.slice(2), {
  cwd: process.cwd(),
  userAgent: process.env["npm_config_user_agent"],
  ask: terminal && ((question) => terminal.question(question)),
  write: (text) => process.stdout.write(text),
  writeError: (text) => process.stderr.write(text),
  install: async (packageManager, folder) => await install(packageManager, folder, process.env),
  resolve: (path) => resolve(path),
});
terminal?.close();
