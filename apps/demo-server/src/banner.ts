import type { ModelProvider } from "@troupe/core";
import type { Toolkits } from "./choose-toolkits.ts";
import type { Demo } from "./demo.ts";

/** The started demo server, with what its banner shows. */
export type Started = {
  readonly url: string;
  /** The name of this server among those that share its runs. */
  readonly node: string;
  readonly demo: Demo;
  readonly model: ModelProvider;
  readonly toolkits: Toolkits;
  /** Descriptions of where sessions, vectors, messages between servers and shared runs are stored, without secrets. */
  readonly stores: Readonly<Record<"sessions" | "vectors" | "nodes" | "runs", string>>;
};

/**
 * Returns the text that is printed on start: addresses, the names of all agents, teams and workflows, and three
 * commands to paste.
 */
export function banner({ url, node, demo, model, toolkits, stores }: Started): string {
  const post = "-H 'content-type: application/json' -d";
  return `Troupe is running at ${url}

  page       ${url}/, to chat and to look into runs: from this
             machine into those of all users, from elsewhere into one's own
  API docs   ${url}/docs
  guide      ${url}/docs/guide/, with the recipes; built by: npx -y pnpm@12 site:demo
  MCP        ${url}/mcp
  A2A        ${url}/a2a, with its card at ${url}/.well-known/agent-card.json
  Socket.IO  ${url}, namespace /service

  agents     ${Object.keys(demo.agents).join(", ")}
  teams      ${Object.keys(demo.teams).join(", ")}
  workflows  ${Object.keys(demo.workflows).join(", ")}
  model      ${describeModel(model)}${describeToolkits(toolkits)}
  sessions   ${stores.sessions}
  vectors    ${stores.vectors}
  sockets    ${stores.nodes}
  runs       ${stores.runs}
  node       ${node}

Paste one of these into another terminal:

  curl -s ${url}/agents/assistant/run ${post} '{"input":"My name is Ada. What is the weather in Oslo, and what is 12 * 7?","sessionId":"ada"}'
  curl -sN ${url}/teams/travel-desk/stream ${post} '{"input":"What is the weather in Tokyo and what time is it there?"}'
  curl -s ${url}/workflows/morning-briefing/run ${post} '{"input":{"city":"Bergen"}}'

Ctrl-C stops the server.`;
}

/** Returns a line for each toolkit whose credentials are in the environment. */
function describeToolkits(toolkits: Toolkits): string {
  const lines = Object.values(toolkits).map(({ shown }, index) => (index === 0 ? "toolkits" : "").padEnd(11) + shown);
  return lines.map((line) => `\n  ${line}`).join("");
}

function describeModel({ providerId, modelId }: ModelProvider): string {
  return providerId === "offline" ? offlineNotice : `${providerId}/${modelId}`;
}

const offlineNotice = `offline: it matches words and is not a language model. Set OPENAI_API_KEY,
             ANTHROPIC_API_KEY or GOOGLE_API_KEY, or start Ollama, for a real one.`;
