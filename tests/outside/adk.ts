import { execFile } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual, promisify } from "node:util";
import { createA2AServer, createArtifact } from "@troupe/a2a";
import { Agent, createLogger, defineTool, InMemoryStorage } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import express from "express";
import { needPythonEnvironment } from "../../tools/services/python-environment.ts";
import type { VisitResult } from "./visit.ts";

const version = "2.13.0";
const folder = join(homedir(), ".cache", "troupe", `google-adk-${version}`);

/** Ensures that Google ADK is installed; throws `MissingServer` when it is not and may not be. */
export function needAdk(mayInstall: boolean): void {
  const environment = {
    name: "google-adk",
    folder,
    requirements: [`google-adk[a2a]==${version}`],
    withDependencies: true,
  };
  needPythonEnvironment(environment, { mayInstall, advice: "pass --install to have google-adk installed" });
}

/** The stored parts of each answer in an ADK session with one remote agent, for two messages. */
type Asked = { agent: string; streams: boolean; stored: string[][]; errors: string[] };

/** A text of several pieces, each in a record of its own. */
const words = Array.from({ length: 40 }, (_, index) => `Wörter ${index}. `).join("");
const expected: Readonly<Record<string, Pick<Asked, "stored">["stored"]>> = {
  helper: [[`${words}1`], [`${words}2`]],
  drawer: [["image/png"], ["There it is."], ["image/png"], ["There it is."]],
  broken: [["Something went wrong in this service."], ["Something went wrong in this service."]],
};

/** Has remote agents of Google ADK ask agents of ours, streamed and not: the sessions of ADK must have the whole answers. */
export async function visitByAdk(): Promise<VisitResult> {
  const logger = createLogger({ level: "silent" });
  const server = express()
    .use(createA2AServer({ agents: makeAgents(), logger }))
    .listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const script = join(import.meta.dirname, "__fixtures__/adk.py");
    const { stdout } = await promisify(execFile)(join(folder, "bin", "python"), ["-W", "ignore", script, url]);
    const asked = JSON.parse(stdout) as Asked[];
    return { cases: 2 * asked.length, faults: asked.flatMap(faultOf) };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

function makeAgents(): Record<string, Agent> {
  const storage = new InMemoryStorage();
  const draw = defineTool({
    name: "draw",
    description: "Draws.",
    parameters: { type: "object", properties: {} },
    execute: () => {
      const image = { kind: "bytes", base64: "SGk=", mediaType: "image/png" } as const;
      return { content: "drawn", artifacts: [createArtifact({ name: "Drawing", parts: [image] })] };
    },
  });
  const counting = new ScriptedModel().respond(
    ({ messages }) => words + String(messages.filter(({ role }) => role === "user").length),
  );
  const drawing = new ScriptedModel().respond(({ messages }) =>
    messages.at(-1)?.role === "tool" ? "There it is." : { text: "First. ", toolCalls: [{ name: "draw" }] },
  );
  const failing = new ScriptedModel().respond(() => {
    throw new Error("broken");
  });
  return {
    helper: new Agent({ name: "helper", model: counting, storage }),
    drawer: new Agent({ name: "drawer", model: drawing, storage, tools: [draw] }),
    broken: new Agent({ name: "broken", model: failing, storage }),
  };
}

function faultOf({ agent, streams, stored, errors }: Asked): string[] {
  // Without a stream ADK stores a task as one event, with its artifacts in their order.
  const whole = streams || agent !== "drawer" ? expected[agent] : [1, 2].map(() => ["There it is.", "image/png"]);
  if (isDeepStrictEqual(stored, whole) && errors.length === 0) return [];
  const kind = streams ? "a stream" : "a message";
  return [`${kind} of ${agent}: ADK stored ${JSON.stringify(stored).slice(0, 400)} ${errors.join(" ")}`];
}
