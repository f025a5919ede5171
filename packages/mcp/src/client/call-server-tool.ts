import { cutText } from "@troupe/core/kit";
import { telemetryOf } from "@troupe/core/transport";
import { TroupeError } from "@troupe/core";
import { nextTurn } from "./ask-server.ts";
import type { Connection } from "./connection.ts";
import { hasHandlers } from "./host-handlers.ts";
import type { CallTool } from "./make-tools.ts";
import type { McpSettings } from "./mcp-options.ts";
import { rawResultOf } from "./slim-message.ts";
import type { RawResult } from "./slim-message.ts";

type ToolCall = Parameters<CallTool>[0];

/** The error code for a call whose headers lack arguments that the server now requires to be repeated in headers. */
const headerMismatch = -32_020;

/**
 * Matches the error text of a server that supports both stateless and session-based revisions. Its tool asked the user,
 * which the stateless revision 2026-07-28 does not allow. FastMCP's `ctx.elicit`, and the Python library below it,
 * report this as a failure of the tool.
 */
const sessionNeeded = /server-initiated requests/i;

/**
 * Calls a tool of an MCP server and returns the server's result. A tool that could not ask the host in the stateless
 * revision 2026-07-28 is called again in a session, in which the host can answer. In the stateless revision a call is
 * also repeated once a question was answered.
 */
export async function callServerTool(
  connection: Connection,
  settings: McpSettings,
  call: ToolCall,
): Promise<RawResult> {
  const telemetry = telemetryOf(call.context);
  if (telemetry === undefined) return await callOrRepeat(connection, settings, call);
  connection.telemetry = telemetry;
  const { transport, url } = settings;
  const operation = telemetry.begin("mcp", {
    side: "client",
    method: "tools/call",
    toolName: call.tool.name,
    transport: transport === "http" ? "tcp" : "pipe",
    address: url === undefined ? undefined : new URL(url).host,
  });
  try {
    const result = await operation.run(() => callOrRepeat(connection, settings, call));
    operation.end({ isToolError: result.isError === true });
    return result;
  } catch (error) {
    operation.end({ error });
    throw error;
  }
}

async function callOrRepeat(connection: Connection, settings: McpSettings, call: ToolCall): Promise<RawResult> {
  const { name } = call.tool;
  if (connection.toolsInSession.has(name)) return await send(connection.session, settings, call);
  let failure: unknown;
  try {
    const result = await sendAfterMismatch(connection, settings, call);
    if (!needsSession(settings, failureText(result))) return result;
    failure = result;
  } catch (error) {
    if (!TroupeError.is(error) || !needsSession(settings, error.message)) throw error;
    failure = error;
  }
  try {
    await connection.session.open(call.context.signal);
  } catch {
    if (failure instanceof Error) throw failure;
    return failure as RawResult;
  }
  connection.toolsInSession.add(name);
  return await send(connection.session, settings, call);
}

function needsSession(settings: McpSettings, text: string): boolean {
  const { transport, protocol = "auto" } = settings;
  return transport === "http" && protocol === "auto" && hasHandlers(settings) && sessionNeeded.test(text);
}

/** Returns the first text of a result that reports a failure of the tool; an empty string for other results. */
function failureText({ isError, content }: RawResult): string {
  if (isError !== true || !Array.isArray(content)) return "";
  const [first] = content as { text?: unknown }[];
  return typeof first?.text === "string" ? cutText(first.text, longestFailure) : "";
}

const longestFailure = 1000;

/**
 * Sends a tool call. If the server now requires other arguments in headers, lists the tools again and repeats the call
 * once.
 */
async function sendAfterMismatch(connection: Connection, settings: McpSettings, call: ToolCall): Promise<RawResult> {
  try {
    return await send(connection, settings, call);
  } catch (error) {
    if (!TroupeError.is(error) || error.fields["rpcCode"] !== headerMismatch) throw error;
    connection.forgetTools();
    await connection.tools(call.context.signal);
    const tool = connection.listedTool(call.tool.name);
    if (tool === undefined) throw error;
    return await send(connection, settings, { ...call, tool });
  }
}

async function send(connection: Connection, { timeoutMs }: McpSettings, call: ToolCall): Promise<RawResult> {
  const { tool, args, context, checkOutput, onProgress } = call;
  const { name, inputSchema } = tool;
  return await connection.exchange({
    what: `a call of the tool ${name}`,
    timeoutMs,
    signal: context.signal,
    send: async (client, options) => {
      // The library reads from this definition which arguments must be repeated in headers.
      const toolDefinition = { name, inputSchema: inputSchema as { type: "object" } };
      const asked = { ...options, onprogress: onProgress, toolDefinition };
      const trace = telemetryOf(context)?.headers();
      const request = { name, arguments: args, ...(trace !== undefined && { _meta: trace }) };
      const result = rawResultOf(await client.callTool(request, asked));
      await nextTurn();
      checkOutput(result);
      return result;
    },
  });
}
