import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import * as restate from "@restatedev/restate-sdk";
import { connect } from "@restatedev/restate-sdk-clients";
import { answer, answerRounds } from "./rounds.mjs";

const modules = new URL("../node_modules/@restatedev/", import.meta.url);
const { version } = JSON.parse(readFileSync(new URL("restate-server/package.json", modules)));
const write = restate.service({
  name: "write",
  handlers: {
    run: async (context) => {
      const texts = [];
      for (const name of ["outline", "draft", "review"]) texts.push(await context.run(name, async () => answer));
      return texts;
    },
  },
});
const endpoint = createServer(restate.createEndpointHandler({ services: [write], logger: () => {} }));
await once(endpoint.listen(0, "127.0.0.1"), "listening");

// Restate keeps the runs in its own server, and not in the database of the others.
const folder = mkdtempSync(join(tmpdir(), "restate-"));
const binary = new URL(`restate-server-${process.platform}-${process.arch}/bin/restate-server`, modules);
const server = spawn(binary.pathname, ["--no-logo"], {
  env: {
    RESTATE_BASE_DIR: folder,
    RESTATE_BIND_IP: "127.0.0.1",
    RESTATE_LISTEN_MODE: "tcp",
    RESTATE_USE_RANDOM_PORTS: "true",
    RESTATE_LOG_FORMAT: "json",
    RESTATE_DISABLE_TELEMETRY: "true",
    // As the PostgreSQL of the others.
    RESTATE_LOG_SERVER__ROCKSDB_DISABLE_WAL_FSYNC: "true",
    RESTATE_ADMIN__DISABLE_WEB_UI: "true",
    // It asks a host of others for its newest version.
    HTTPS_PROXY: "http://127.0.0.1:9",
  },
  stdio: ["ignore", "pipe", "inherit"],
});
for (const end of ["disconnect", "SIGTERM"]) process.once(end, () => process.exit());
process.once("exit", () => {
  server.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});
const [ingress, admin] = await new Promise((resolve, reject) => {
  server.once("exit", () => reject(new Error("The server of Restate ended.")));
  const found = [];
  // The log is read to its end: a full pipe would stop the server.
  createInterface(server.stdout).on("line", (line) => {
    const { fields, span } = JSON.parse(line);
    if (fields.message === "Ingress HTTP listening") found[0] = `http://127.0.0.1:${span["server.port"]}`;
    const { origin } = /^Admin API starting on: (?<origin>\S+)\/$/.exec(fields.message)?.groups ?? {};
    if (origin !== undefined) found[1] = origin;
    if (found[0] && found[1]) resolve(found);
  });
});
const registered = await fetch(`${admin}/deployments`, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ uri: `http://127.0.0.1:${endpoint.address().port}` }),
});
if (!registered.ok) throw new Error(`Restate refused the service: ${await registered.text()}`);
const client = connect({ url: ingress }).serviceClient(write);
answerRounds(version, async () => await client.run());
