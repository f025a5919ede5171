import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TestChild } from "@troupe-internal/fault-tools";
import { expect, it, onTestFinished } from "vitest";

/** A notification: the state of its task, and the id that is the same for all attempts at it. */
type Notified = { state: string; id: unknown; isTaken: boolean };

/** A receiver that takes notifications while it is up. */
async function startReceiver() {
  const notified: Notified[] = [];
  const receiver = { host: "", isUp: true, notified };
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (piece: Buffer) => (text += piece.toString()));
    request.on("end", () => {
      const { status } = JSON.parse(text) as { status: { state: string } };
      const [, claims = ""] = String(request.headers["x-a2a-notification-signature"]).split(".");
      const { jti: id } = JSON.parse(Buffer.from(claims, "base64url").toString()) as { jti: unknown };
      notified.push({ state: status.state, id, isTaken: receiver.isUp });
      response.writeHead(receiver.isUp ? 204 : 503).end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  receiver.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return receiver;
}

async function startService(file: string, host: string): Promise<{ child: TestChild; url: string }> {
  const args = [file, "One, two, ", "three.", host];
  const child = await TestChild.start(new URL("./durable-service.ts", import.meta.url), { args });
  onTestFinished(async () => void (await child.kill()));
  const { port } = await child.next((message): message is { port: number } => {
    return typeof (message as { port?: unknown }).port === "number";
  });
  return { child, url: `http://127.0.0.1:${port}` };
}

it("a task notifies its receiver to the end, once of each thing, although its service is killed at work and after its end [a2a.push-killed]", async () => {
  const folder = mkdtempSync(join(tmpdir(), "troupe-push-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "troupe.db");
  const receiver = await startReceiver();
  const first = await startService(file, receiver.host);
  const message = { kind: "message", messageId: "m", role: "user", parts: [{ kind: "text", text: "Count." }] };
  const pushNotificationConfig = { url: `http://${receiver.host}/hook`, token: "t0ken-of-the-receiver" };
  const params = { message, configuration: { blocking: false, pushNotificationConfig } };
  await fetch(first.url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "message/send", params }),
  });
  await expect.poll(() => receiver.notified.length).toBe(1);
  await first.child.kill();

  const second = await startService(file, receiver.host);
  // The second attempt at the run is at work.
  await expect.poll(() => new Set(receiver.notified.map(({ id }) => id)).size).toBe(2);
  receiver.isUp = false;
  second.child.send({ goOn: true });
  await expect.poll(() => receiver.notified.some(({ state, isTaken }) => state === "completed" && !isTaken)).toBe(true);
  await second.child.kill();

  receiver.isUp = true;
  await startService(file, receiver.host);
  await expect.poll(() => receiver.notified.some(({ state, isTaken }) => state === "completed" && isTaken)).toBe(true);
  const taken = receiver.notified.filter(({ isTaken }) => isTaken);
  // One that was taken comes again, with its id, only where the kill came before its place was stored.
  const states = new Map(taken.map(({ id, state }) => [id, state]));
  expect([...states.values()]).toEqual(["working", "working", "completed"]);
  for (const name of [file, `${file}-wal`]) {
    const stored = readFileSync(name, "latin1");
    for (const secret of ["t0ken-of-the-receiver", receiver.host]) expect(stored).not.toContain(secret);
  }
});
