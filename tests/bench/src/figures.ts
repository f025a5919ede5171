import type { Figure, Target } from "./measure.ts";

const node: Target = { name: "N (node:http)", file: "servers/baseline-node.ts" };
const express: Target = { name: "E (express)", file: "servers/baseline-express.ts" };
const expressSdk: Target = { name: "ES (express, vendor's SDK)", file: "servers/baseline-express-sdk.ts" };
const routerModel: Target = { name: "router, model in process", file: "http/router-model.ts" };
const routerOpenai: Target = { name: "router, providers-openai", file: "http/router-openai.ts" };

const messages = [{ role: "user", content: "Tell me something." }];
const chat: Target = {
  name: "service, Chat Completions",
  file: "http/service-openai.ts",
  request: { path: "/v1/chat/completions", body: { model: "bench", messages } },
};
const chatStream: Target = {
  ...chat,
  request: { path: "/v1/chat/completions", body: { model: "bench", messages, stream: true } },
};
const responses: Target = {
  name: "service, Responses",
  file: "http/service-openai.ts",
  request: { path: "/v1/responses", body: { model: "bench", input: "Tell me something." } },
};
const responseStream: Target = {
  ...responses,
  request: { path: "/v1/responses", body: { model: "bench", input: "Tell me something.", stream: true } },
};

/** Name of the target that ratios are taken against. */
export const baseline = express.name;

/** Name of the target that needs private packages, and cannot run outside the workspace. */
export const workspaceOnly = expressSdk.name;

const targets = [express, expressSdk, node, routerModel, routerOpenai];
const steady = { concurrency: 16, warmUpRounds: 10, rounds: 24, slices: 10, sliceMs: 50 };

/** The figures by name: `pnpm bench <name>`. */
export const figures: Readonly<Record<string, Figure>> = {
  run: { ...steady, targets, path: "/agents/bench/run", unit: "requests" },
  "tool-run": {
    ...steady,
    targets: [express, expressSdk, routerModel, routerOpenai],
    path: "/agents/tool/run",
    unit: "requests",
  },
  stream: { ...steady, targets, path: "/agents/bench/stream", unit: "frames", chunks: 200 },
  "openai-run": {
    ...steady,
    targets: [express, routerOpenai, chat, responses],
    beside: routerOpenai.name,
    path: "/agents/bench/run",
    unit: "requests",
  },
  "openai-stream": {
    ...steady,
    targets: [express, routerOpenai, chatStream, responseStream],
    beside: routerOpenai.name,
    path: "/agents/bench/stream",
    unit: "frames",
    chunks: 200,
  },
};
