import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Agent, defineTool, InMemoryStorage, Team } from "@troupe/core";
import { createRouter, createService } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { chatStream } from "@troupe/use-chat";
import { MissingServer } from "../../tools/services/service.ts";
import type { VisitResult } from "./visit.ts";

/** The versions of the AI SDK, each in a folder of its own. The version in its name is raised with those of the packages. */
const versions = {
  6: ["ai@6.0.326", "@ai-sdk/react@3.0.328"],
  7: ["ai@7.0.173", "@ai-sdk/react@4.0.177"],
} as const;

type Version = keyof typeof versions;

const folderOf = (version: Version): string => join(homedir(), ".cache", "troupe", `ai-sdk-${version}-1`);

/** Ensures that both versions of the SDK are installed; throws `MissingServer` if they are not and may not be. */
export function needChats(mayInstall: boolean): void {
  for (const version of [6, 7] as const) {
    const folder = folderOf(version);
    if (existsSync(join(folder, "node_modules"))) continue;
    if (!mayInstall) throw new MissingServer("pass --install to have the AI SDK installed");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), '{ "type": "module", "private": true }');
    const options = ["--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    const packages = [...versions[version], "react@19.2.1", "zod@4.6.7"];
    try {
      execFileSync("npm", ["install", ...options, ...packages], {
        cwd: folder,
        stdio: ["ignore", "ignore", "inherit"],
      });
    } catch {
      // An incomplete folder would be mistaken for a complete one.
      rmSync(folder, { recursive: true, force: true });
      throw new MissingServer("the AI SDK could not be installed with npm");
    }
  }
}

type Part = { readonly type: string; readonly [field: string]: unknown };
type Message = { readonly id: string; readonly role: string; readonly parts: readonly Part[] };

/** The part of an SDK's chat that the visit uses. The SDK's types are not installed in this workspace. */
type Chat = {
  readonly messages: readonly Message[];
  readonly status: string;
  readonly error: Error | undefined;
  sendMessage(message: object): Promise<void>;
  regenerate(): Promise<void>;
  stop(): Promise<void>;
  resumeStream(): Promise<void>;
  addToolApprovalResponse(answer: object): void | PromiseLike<void>;
  addToolOutput(output: object): void | PromiseLike<void>;
};

type Sdk = {
  readonly open: (path: string, options?: { id?: string; messages?: readonly Message[] }) => Chat;
  readonly validate: (messages: readonly Message[]) => Promise<unknown>;
};

async function loadSdk(version: Version, url: string): Promise<Sdk> {
  const require = createRequire(join(folderOf(version), "index.js"));
  const load = async (name: string) => {
    return (await import(pathToFileURL(require.resolve(name)).href)) as Readonly<Record<string, unknown>>;
  };
  const [ai, react] = [await load("ai"), await load("@ai-sdk/react")];
  const Transport = ai["DefaultChatTransport"] as new (options: object) => object;
  const ChatClass = react["Chat"] as new (options: object) => Chat;
  const isAnswered = ai["lastAssistantMessageIsCompleteWithApprovalResponses"] as (of: object) => boolean;
  const isComplete = ai["lastAssistantMessageIsCompleteWithToolCalls"] as (of: object) => boolean;
  return {
    open: (path, options = {}) =>
      new ChatClass({
        ...options,
        transport: new Transport({ api: url + path }),
        sendAutomaticallyWhen: (of: object) => isAnswered(of) || isComplete(of),
      }),
    validate: ai["validateUIMessages"] as Sdk["validate"],
  };
}

/** Serves agents for each scene to pages with one version of the SDK. */
async function serveAgents(version: Version): Promise<{ url: string; paid: unknown[]; close: () => Promise<void> }> {
  const paid: unknown[] = [];
  const pay = defineTool({
    name: "pay",
    description: "Pays.",
    parameters: { type: "object", properties: { amount: { type: "number" } } },
    needsApproval: true,
    execute: (args) => (paid.push(args), { paid: true }),
  });
  const locate = defineTool({ name: "locate", description: "Locates.", parameters: { type: "object" } });
  const calling = (name: string) =>
    new ScriptedModel().respond(({ messages }) => {
      return messages.at(-1)?.role === "tool" ? "Done." : { toolCalls: [{ name, arguments: {} }] };
    });
  const storage = new InMemoryStorage();
  const counting = new ScriptedModel().respond(
    ({ messages }) => `Answer to ${messages.filter(({ role }) => role === "user").length}.`,
  );
  const slow = new ScriptedModel().respond(() => ({
    text: Array.from({ length: 40 }, () => "word "),
    chunkDelayMs: 20,
  }));
  const sayer = (name: string) => new Agent({ name, model: new ScriptedModel().respond(() => `${name} speaks.`) });
  const sources = [{ id: "s1", url: "https://example.org/a", title: "A" }];
  const drawing = defineTool({
    name: "draw",
    description: "Draws.",
    parameters: { type: "object" },
    execute: () => ({ content: "drawn", artifacts: [{ type: "chart", data: [1, 2] }] }),
  });
  const cited = new ScriptedModel().respond(({ messages }) =>
    messages.at(-1)?.role === "tool" ? { text: "Cited.", sources } : { toolCalls: [{ name: "draw", arguments: {} }] },
  );
  const service = createService({
    agents: {
      payer: new Agent({ name: "payer", model: calling("pay"), tools: [pay], storage }),
      locator: new Agent({ name: "locator", model: calling("locate"), tools: [locate], storage }),
      counter: new Agent({ name: "counter", model: counting, storage }),
      slow: new Agent({ name: "slow", model: slow, storage }),
      cited: new Agent({ name: "cited", model: cited, tools: [drawing], storage }),
    },
    teams: {
      desk: new Team({
        name: "desk",
        mode: "broadcast",
        model: new ScriptedModel().respond(() => "We agree."),
        members: [sayer("ann"), sayer("bob")],
        streamMembers: true,
      }),
      desks: new Team({ name: "desks", mode: "route", model: new ScriptedModel(), members: [sayer("ann")] }),
    },
    storage,
    durable: true,
  });
  const router = createRouter(service, [chatStream({ sdk: version })]);
  const server = createServer((request, response) => {
    router(request, response, () => response.writeHead(404).end());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await service.close({ graceMs: 100 });
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, paid, close };
}

type Scene = (sdk: Sdk, served: { readonly paid: unknown[]; readonly url: string }) => Promise<string | undefined>;

const last = (chat: Chat): readonly Part[] => chat.messages.at(-1)?.parts ?? [];
const textOf = (parts: readonly Part[]): string =>
  parts.flatMap(({ type, text }) => (type === "text" ? [String(text)] : [])).join("");

async function until(isTrue: () => boolean): Promise<void> {
  const end = Date.now() + 10_000;
  while (!isTrue()) {
    if (Date.now() > end) throw new Error("nothing happened for 10 s");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const metadataOf = (chat: Chat): string => JSON.stringify(last(chat).map(({ providerMetadata }) => providerMetadata));

/** The scenes, each with what is wrong, or undefined. */
const scenes: Readonly<Record<string, Scene>> = {
  approval: async (sdk, { paid }) => {
    const before = paid.length;
    const chat = sdk.open("/agents/payer/ui");
    await chat.sendMessage({ text: "Pay." });
    const asked = last(chat).find(({ state }) => state === "approval-requested");
    const { id } = (asked?.["approval"] ?? {}) as { id?: string };
    if (id === undefined) return `no approval in ${JSON.stringify(last(chat))}`;
    await chat.addToolApprovalResponse({ id, approved: true });
    await until(() => chat.status === "ready" || chat.status === "error");
    await until(() => textOf(last(chat)) !== "" || chat.error !== undefined);
    if (paid.length !== before + 1) return `paid ${paid.length - before} times`;
    return textOf(last(chat)) === "Done." && chat.messages.length === 2 ? undefined : JSON.stringify(chat.messages);
  },
  denial: async (sdk, { paid }) => {
    const before = paid.length;
    const chat = sdk.open("/agents/payer/ui");
    await chat.sendMessage({ text: "Pay." });
    const asked = last(chat).find(({ state }) => state === "approval-requested");
    const { id } = (asked?.["approval"] ?? {}) as { id?: string };
    await chat.addToolApprovalResponse({ id, approved: false, reason: "too dear" });
    await until(() => textOf(last(chat)) !== "" || chat.error !== undefined);
    const denied = last(chat).find(({ type }) => type === "tool-pay");
    return paid.length === before && denied?.["state"] === "output-denied" ? undefined : JSON.stringify(last(chat));
  },
  "client tool": async (sdk) => {
    const chat = sdk.open("/agents/locator/ui");
    await chat.sendMessage({ text: "Where?" });
    const called = last(chat).find(({ type }) => type === "tool-locate");
    await chat.addToolOutput({ tool: "locate", toolCallId: called?.["toolCallId"], output: { lat: 60 } });
    await until(() => textOf(last(chat)) !== "" || chat.error !== undefined);
    return textOf(last(chat)) === "Done." ? undefined : JSON.stringify([last(chat), chat.error?.message]);
  },
  regenerate: async (sdk) => {
    const chat = sdk.open("/agents/counter/ui");
    await chat.sendMessage({ text: "One?" });
    await chat.sendMessage({ text: "Two?" });
    await chat.regenerate();
    return textOf(last(chat)) === "Answer to 2." && chat.messages.length === 4
      ? undefined
      : JSON.stringify(chat.messages);
  },
  files: async (sdk) => {
    const chat = sdk.open("/agents/counter/ui");
    const files = [{ type: "file", mediaType: "text/plain", filename: "a.txt", url: "data:text/plain;base64,aGk=" }];
    await chat.sendMessage({ text: "Read.", files });
    return textOf(last(chat)) === "Answer to 1." ? undefined : JSON.stringify([last(chat), chat.error?.message]);
  },
  "stop and resume": async (sdk) => {
    const id = "chat-that-is-resumed";
    const chat = sdk.open("/agents/slow/ui", { id });
    const sent = chat.sendMessage({ text: "Go on." });
    await until(() => textOf(last(chat)).length > 10);
    await chat.stop();
    await sent.catch(() => undefined);
    const question = chat.messages.filter(({ role }) => role === "user");
    // A reloaded page has the question, and resumes the answer that goes on.
    const reloaded = sdk.open("/agents/slow/ui", { id, messages: question });
    await reloaded.resumeStream();
    return textOf(last(reloaded)) === "word ".repeat(40) ? undefined : JSON.stringify(reloaded.messages);
  },
  "sources and artifacts": async (sdk) => {
    const chat = sdk.open("/agents/cited/ui");
    await chat.sendMessage({ text: "Cite." });
    const types = last(chat).map(({ type }) => type);
    const artifact = last(chat).find(({ type }) => type === "data-artifact");
    const isWhole = types.includes("source-url") && JSON.stringify(artifact?.["data"]).includes('"data":[1,2]');
    return isWhole ? undefined : JSON.stringify(last(chat));
  },
  "members of a team": async (sdk) => {
    const chat = sdk.open("/teams/desk/ui");
    await chat.sendMessage({ text: "Who?" });
    const shown = metadataOf(chat);
    const answer = last(chat).filter(({ type, providerMetadata }) => type === "text" && providerMetadata === undefined);
    const isNamed = shown.includes('"member":"ann"') && shown.includes('"member":"bob"');
    return isNamed && textOf(answer) === "We agree." ? undefined : JSON.stringify(last(chat));
  },
  "speaker of a team": async (sdk) => {
    const chat = sdk.open("/teams/desks/ui");
    await chat.sendMessage({ text: "Who?" });
    return metadataOf(chat).includes('"speaker":"ann"') ? undefined : JSON.stringify(last(chat));
  },
};

/** Chats with a service through versions 6 and 7 of the AI SDK. */
export async function visitByChats(): Promise<VisitResult> {
  const faults = [...(await chatWith(6)), ...(await chatWith(7))];
  return { cases: 2 * Object.keys(scenes).length, faults };
}

async function chatWith(version: Version): Promise<string[]> {
  const served = await serveAgents(version);
  const faults: string[] = [];
  try {
    const sdk = await loadSdk(version, served.url);
    for (const [name, scene] of Object.entries(scenes)) {
      const fault = await scene(sdk, served).catch((error: unknown) => String(error));
      if (fault !== undefined) faults.push(`ai ${version}, ${name}: ${fault.slice(0, 600)}`);
    }
  } finally {
    await served.close();
  }
  return faults;
}
