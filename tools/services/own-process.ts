import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

const startTimeoutMs = 30_000;
const stopTimeoutMs = 10_000;

/** Starts the program and waits until its port accepts connections. */
export async function startServer(command: readonly string[], port: number): Promise<ChildProcess> {
  const [program = "", ...args] = command;
  const child = spawn(program, args, { stdio: ["ignore", "ignore", "pipe"] });
  const said: Buffer[] = [];
  child.stderr.on("data", (bytes: Buffer) => said.push(bytes));
  const failed = once(child, "exit").then(() => {
    throw new Error(`${program} ended before it was ready: ${Buffer.concat(said).toString("utf8").slice(-2000)}`);
  });
  await Promise.race([failed, untilListening(port)]);
  return child;
}

/** Sends the signal, and SIGKILL if the process does not end in time. */
export async function stopServer(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill(signal);
  const timer = setTimeout(() => child.kill("SIGKILL"), stopTimeoutMs);
  await ended;
  clearTimeout(timer);
}

async function untilListening(port: number): Promise<void> {
  const deadline = performance.now() + startTimeoutMs;
  while (performance.now() < deadline) {
    if (await takesConnections(port)) return;
    await sleep(50);
  }
  throw new Error(`Nothing listened on port ${port} within ${startTimeoutMs} ms.`);
}

async function takesConnections(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
