import type { ModelProvider } from "@troupe/core";
import type { Demo } from "./create-demo.ts";

/** What there is to say about a server that has begun to listen. */
type Introduction = { readonly url: string; readonly demo: Demo; readonly model: ModelProvider; readonly file: string };

/** The lines that whoever starts the server reads: what it serves, with what, and what to try. */
export function introduce({ url, demo, model, file }: Introduction): string {
  const isOffline = model.providerId === "offline";
  const post = "-H 'content-type: application/json' -d";
  return `Troupe listens on ${url} (Ctrl-C stops it)

  agents     ${Object.keys(demo.agents).join(", ")}
  teams      ${Object.keys(demo.teams).join(", ")}
  workflows  ${Object.keys(demo.workflows).join(", ")}
  model      ${isOffline ? offline : `${model.providerId}/${model.modelId}`}
  sessions   ${file}
  docs       ${url}/docs

Try:

  curl -s ${url}/agents/assistant/run ${post} '{"input":"My name is Ada. What is the weather in Oslo, and what is 12 * 7?","sessionId":"ada"}'
  curl -sN ${url}/teams/travel-desk/stream ${post} '{"input":"What is the weather in Tokyo and what time is it there?"}'
  curl -s ${url}/sessions/ada/turns`;
}

const offline =
  "offline: follows a few patterns and is no language model; OPENAI_API_KEY, ANTHROPIC_API_KEY or GOOGLE_API_KEY brings one";
