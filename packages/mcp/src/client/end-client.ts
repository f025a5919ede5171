import type { Telemetry } from "@troupe/core";
import { withTimeout } from "@troupe/core/kit";
import type { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { OpenClient } from "./open-client.ts";
import { StdioTransport } from "./stdio-transport.ts";

/** Milliseconds to wait until an MCP server has ended its session. */
const endingMs = 3000;

/** Ends the connection to an MCP server. If `isOrderly` is true, ends the server's session first, if there is one. */
export async function endClient({ client, transport }: OpenClient, isOrderly = false): Promise<void> {
  if (isOrderly && "terminateSession" in transport) {
    const ending = (transport as StreamableHTTPClientTransport).terminateSession().catch(() => {});
    await withTimeout(ending, { timeoutMs: endingMs, onTimeout: () => {} });
  }
  await client.close().catch(() => {});
  await transport.close().catch(() => {});
}

/** Records the duration of a session in telemetry. Later revisions of the protocol have no sessions. */
export function measureSession(
  { client, transport, openedAt }: OpenClient,
  { telemetry, isLost }: { telemetry: Telemetry | undefined; isLost: boolean },
): void {
  if (telemetry === undefined || client.getProtocolEra() === "modern") return;
  telemetry.measure("mcp.session", {
    side: "client",
    ms: performance.now() - openedAt,
    transport: transport instanceof StdioTransport ? "pipe" : "tcp",
    protocolVersion: client.getNegotiatedProtocolVersion(),
    isLost,
  });
}
