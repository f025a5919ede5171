#!/usr/bin/env node
import { runTokenCommand } from "./oauth/token-command.ts";

process.exitCode = await runTokenCommand(process.argv.slice(2), { write: (text) => process.stdout.write(text) });
