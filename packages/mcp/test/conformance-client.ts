/**
 * The program that the official conformance runner starts for each of its client scenarios: it drives our client, and
 * imports nothing else. The last argument is the URL of the runner's server; the environment names the scenario.
 */
import { McpToolServer } from "@troupe/mcp";
import type { McpToolServerOptions } from "@troupe/mcp";

const url = process.argv.at(-1) ?? "";
const scenario = process.env["MCP_CONFORMANCE_SCENARIO"] ?? "";
const revision = process.env["MCP_CONFORMANCE_PROTOCOL_VERSION"] ?? "2025-11-25";
const context = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as {
  toolCalls?: { name: string; arguments: Record<string, unknown> }[];
  client_id?: string;
  client_secret?: string;
};

/** The mocks of these scenarios do not answer `server/discover`: the runner's own client answers it in their place. */
const withoutDiscover = [
  "sep-2322-client-request-state",
  "http-standard-headers",
  "http-custom-headers",
  "http-invalid-tool-headers",
];

async function send(target: string | URL, init?: RequestInit): Promise<Response> {
  const body = typeof init?.body === "string" ? init.body : "{}";
  const isDiscover = withoutDiscover.includes(scenario) && body.includes('"server/discover"');
  if (!isDiscover) return await fetch(target, init);
  const { id } = JSON.parse(body) as { id: number };
  const capabilities = { tools: { listChanged: false }, resources: {}, prompts: {} };
  const result = {
    resultType: "complete",
    supportedVersions: ["2026-07-28"],
    capabilities,
    ttlMs: 0,
    cacheScope: "private",
  };
  return Response.json({ jsonrpc: "2.0", id, result });
}

/** A user who grants at once: follows the authorization URL and keeps what came back. */
const user: { cameBackWith?: URLSearchParams } = {};

type Provider = Exclude<McpToolServerOptions["authProvider"], undefined>;

function makeProvider(): Provider {
  const redirectUrl = "http://localhost:3000/callback";
  const kept: Record<string, unknown> = {};
  if (context.client_id !== undefined) {
    const { client_id, client_secret } = context;
    kept["client"] = { client_id, ...(client_secret !== undefined && { client_secret }) };
  }
  return {
    redirectUrl,
    clientMetadataUrl: "https://conformance-test.local/client-metadata.json",
    clientMetadata: {
      client_name: "troupe",
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      application_type: "native",
    },
    clientInformation: (about?: { issuer?: string }) => kept[`client ${about?.issuer ?? ""}`] ?? kept["client"],
    saveClientInformation: (client: unknown, about?: { issuer?: string }) => {
      kept[`client ${about?.issuer ?? ""}`] = client;
    },
    tokens: () => kept["tokens"],
    saveTokens: (tokens: unknown) => {
      kept["tokens"] = tokens;
      // Kept for the way back from the authorization server alone: later the server may name another one.
      delete kept["discovery"];
    },
    discoveryState: () => kept["discovery"],
    saveDiscoveryState: (state: unknown) => void (kept["discovery"] = state),
    codeVerifier: () => kept["verifier"],
    saveCodeVerifier: (verifier: unknown) => void (kept["verifier"] = verifier),
    invalidateCredentials: (scope: string) => {
      for (const name of Object.keys(kept)) if (scope === "all" || name.startsWith(scope)) delete kept[name];
    },
    redirectToAuthorization: async (authorization: URL) => {
      const reply = await fetch(authorization, { redirect: "manual" });
      user.cameBackWith = new URL(reply.headers.get("location") ?? "", authorization).searchParams;
    },
  } as unknown as Provider;
}

const server = new McpToolServer({
  name: "c",
  transport: "http",
  url,
  fetch: send,
  protocol: revision === "2026-07-28" ? "auto" : "legacy",
  connectTimeoutMs: 60_000,
  timeoutMs: 60_000,
  onElicitation: () => ({ action: "accept", content: scenario.startsWith("sep-2322") ? { confirmed: true } : {} }),
  onSampling: () => ({ text: "An answer.", model: "none" }),
  ...(scenario.startsWith("auth/") && { authProvider: makeProvider() }),
});

/** Does the work, and again each time the user has granted what was missing. */
async function granted<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const parameters = user.cameBackWith;
      delete user.cameBackWith;
      if (parameters === undefined || attempt > 2) throw error;
      await server.finishAuth(parameters);
    }
  }
}

const runContext = { signal: new AbortController().signal };

async function call(name: string, args: Record<string, unknown> = {}): Promise<void> {
  const tools = await server.getTools();
  const tool = tools.find((each) => each.name === `c__${name}`);
  if (tool?.execute === undefined) throw new Error(`No tool ${name}.`);
  const { execute } = tool;
  await granted(async () => await execute(args, runContext as never));
}

async function callAll(names: readonly string[]): Promise<void> {
  // One that the server refuses is part of some scenarios.
  for (const name of names) await call(name).catch(() => {});
}

const scenarios: Record<string, () => Promise<void>> = {
  initialize: async () => {},
  tools_call: async () => await call("add_numbers", { a: 5, b: 3 }),
  "elicitation-sep1034-client-defaults": async () => await call("test_client_elicitation_defaults"),
  "sse-retry": async () => await call("test_reconnection"),
  "http-standard-headers": async () => {
    const [tool] = await server.getTools();
    await callAll([tool?.name.slice("c__".length) ?? ""]);
    const [resource] = await server.resources();
    await server.readResource(resource?.uri ?? "");
    const [prompt] = await server.prompts();
    await server.getPrompt(prompt?.name ?? "");
  },
  "http-custom-headers": async () => {
    for (const { name, arguments: args } of context.toolCalls ?? []) {
      await call(name, args).catch(() => {});
    }
  },
  "sep-2322-client-request-state": async () =>
    await callAll(["test_mrtr_echo_state", "test_mrtr_no_state", "test_mrtr_unrelated", "test_mrtr_no_result_type"]),
};

async function callWhatIsThere(): Promise<void> {
  const tools = await granted(async () => await server.getTools());
  for (const tool of tools) {
    await granted(async () => await tool.execute?.({}, runContext as never)).catch((error: unknown) => {
      if (scenario.startsWith("auth/")) throw error;
    });
  }
}

await granted(async () => await server.connect());
await granted(async () => await server.getTools());
await (scenarios[scenario] ?? callWhatIsThere)();
await server.close();
