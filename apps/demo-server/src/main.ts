import { checkNode } from "./check-node.ts";

try {
  checkNode(process.versions.node);
  // Imported only after the check, because an older Node cannot even parse it.
  const { startServer } = await import("./start-server.ts");
  await startServer(process.env);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
