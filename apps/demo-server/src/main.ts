import { createServer } from "node:http";
import { createShutdown } from "@troupe/http";
import { createDemo } from "./create-demo.ts";
import { createDemoServer } from "./create-demo-server.ts";
import { introduce } from "./introduce.ts";
import { listen } from "./listen.ts";
import { chooseModel } from "./models/choose-model.ts";
import { openStorage } from "./open-storage.ts";
import { readPort } from "./read-port.ts";

async function main(variables: NodeJS.ProcessEnv): Promise<void> {
  const place = { host: variables["HOST"] || "127.0.0.1", port: readPort(variables["PORT"]) };
  const model = chooseModel(variables);
  const { storage, file } = await openStorage(variables["TROUPE_DEMO_DATA"] || ".data");
  const demo = createDemo({ model, storage });
  const shutdown = createShutdown({ graceMs: 5000 });
  const server = createServer(createDemoServer(demo, shutdown));
  shutdown.attach(server);
  const url = await listen(server, place);
  shutdown.onSignals();
  console.log(introduce({ url, demo, model, file }));
  await shutdown.finished;
  await storage.close();
}

try {
  await main(process.env);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
