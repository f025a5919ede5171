// Starts a child process and sends its pid.
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { TestChild } from "../test-child.ts";

const [path = ""] = process.argv.slice(2);
const own = await TestChild.start(new URL("./ticking-child.ts", import.meta.url), { args: [path] });
while (!existsSync(path)) await sleep(5);
process.send?.({ ready: true, own: own.pid });
