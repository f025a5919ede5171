import { checkNode } from "./check-node.ts";

try {
  checkNode(process.versions.node);
  // The server is imported only after the check of Node's version, because an older Node cannot even parse its code.
  const { startServer } = await import("./start-server.ts");
  await startServer(process.env);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
