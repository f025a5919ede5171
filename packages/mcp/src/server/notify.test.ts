import type * as Library from "@modelcontextprotocol/server";
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { describe, expect, it } from "vitest";
import { acceptSubscriptions, callerOf, createNotify } from "./extension.ts";
import type { MadeServer, McpNotify, NotifyTargets } from "./extension.ts";

const methods = ["toolsChanged", "promptsChanged", "resourcesChanged", "resourceUpdated"] as const;

type Heard = [who: string, what: string, uri?: string];

/** A client's server, of the library's one kind or the other, which may be closed or fail. */
function clientOf(who: string, heard: Heard[], more: Partial<Client> = {}): MadeServer {
  const { isOpen = true, fails = false, isPlain = false, subscribed } = more;
  const hear = (what: string) => async (given?: { uri: string }) => {
    heard.push(given === undefined ? [who, what] : [who, what, given.uri]);
    await (fails ? Promise.reject(new Error("It has left.")) : Promise.resolve());
  };
  const server = {
    transport: isOpen ? {} : undefined,
    sendToolListChanged: hear("tools"),
    sendPromptListChanged: hear("prompts"),
    sendResourceListChanged: hear("resources"),
    sendResourceUpdated: hear("updated"),
  };
  const product = (isPlain ? server : { server }) as unknown as MadeServer["product"];
  return { product, ...(subscribed && { subscribed: new Set(subscribed) }) };
}

type Client = { isOpen: boolean; fails: boolean; isPlain: boolean; subscribed: string[] };

const tellAll = (notify: McpNotify) => {
  notify.toolsChanged();
  notify.promptsChanged();
  notify.resourcesChanged();
  notify.resourceUpdated("a://b");
};

describe("the messages to clients", () => {
  it("go to each client that is connected, and each subscription", () => {
    const heard: Heard[] = [];
    const kept = [
      clientOf("failing", heard, { fails: true }),
      clientOf("gone", heard, { isOpen: false }),
      clientOf("plain", heard, { isPlain: true }),
    ];
    const subscriptions = Object.fromEntries(
      methods.map((method) => [method, (uri: string) => heard.push(["subscriptions", method, uri])]),
    ) as unknown as Library.ServerNotifier;
    tellAll(createNotify(true, () => [{ kept, subscriptions }]));
    expect(heard).toEqual([
      ["failing", "tools"],
      ["plain", "tools"],
      ["subscriptions", "toolsChanged", ""],
      ["failing", "prompts"],
      ["plain", "prompts"],
      ["subscriptions", "promptsChanged", ""],
      ["failing", "resources"],
      ["plain", "resources"],
      ["subscriptions", "resourcesChanged", ""],
      ["failing", "updated", "a://b"],
      ["plain", "updated", "a://b"],
      ["subscriptions", "resourceUpdated", "a://b"],
    ]);
  });

  it("the messages to clients of a resource go to those that have subscribed to it, where that is known", () => {
    const heard: Heard[] = [];
    const kept = [
      clientOf("both", heard, { subscribed: ["a://b", "a://c"] }),
      clientOf("other", heard, { subscribed: ["a://c"] }),
      clientOf("none", heard, { subscribed: [] }),
      clientOf("unknown", heard),
    ];
    const notify = createNotify(true, () => [{ kept, subscriptions: undefined }]);
    notify.resourceUpdated("a://b");
    expect(heard).toEqual([
      ["both", "updated", "a://b"],
      ["unknown", "updated", "a://b"],
    ]);
    heard.length = 0;
    notify.resourcesChanged();
    expect(heard.map(([who]) => who)).toEqual(["both", "other", "none", "unknown"]);
  });

  it("go to the clients of that moment", () => {
    const heard: Heard[] = [];
    const targetOf = (who: string): NotifyTargets => ({ kept: [clientOf(who, heard)], subscriptions: undefined });
    const moments = [[], [{ kept: [], subscriptions: undefined }], [targetOf("new"), targetOf("other service")]];
    const notify = createNotify(true, () => moments.shift() ?? []);
    notify.toolsChanged();
    notify.toolsChanged();
    expect(heard).toEqual([]);
    notify.toolsChanged();
    expect(heard).toEqual([
      ["new", "tools"],
      ["other service", "tools"],
    ]);
  });

  it.each(methods)("are none by %s where the host has extended nothing", (method) => {
    const notify = createNotify(false, () => expect.unreachable());
    expect(() => notify[method]("a://b")).toThrow(
      expect.objectContaining({
        code: "invalid_config",
        message: `notify.${method} tells clients that what extend has registered was changed. Set the option extend.`,
      }),
    );
  });
});

describe("the subscriptions of a client", () => {
  type Handle = (request: { params: { uri: string } }) => unknown;

  /** A server with these capabilities, and what was registered with it. */
  function accept(capabilities: object) {
    const handlers: Record<string, Handle> = {};
    const registered: unknown[] = [];
    const server = {
      getCapabilities: () => capabilities,
      registerCapabilities: (more: unknown) => registered.push(more),
      setRequestHandler: (method: string, handle: Handle) => void (handlers[method] = handle),
    };
    const library = { ProtocolError, ProtocolErrorCode } as typeof Library;
    const subscribed = acceptSubscriptions(library, { server } as unknown as Library.McpServer);
    const ask = (method: string, uri: string) => handlers[`resources/${method}`]?.({ params: { uri } });
    return { handlers, registered, subscribed, ask };
  }

  it.each([{}, { tools: {} }, { resources: { subscribe: true } }, { resources: { subscribe: false } }])(
    "are left to the host with the capabilities %j",
    (capabilities) => {
      const { handlers, registered, subscribed } = accept(capabilities);
      expect([handlers, registered, subscribed.size]).toEqual([{}, [], 0]);
    },
  );

  it("begin and end by their URIs, which the server says that it takes", () => {
    const { registered, subscribed, ask } = accept({ resources: {} });
    expect(registered).toEqual([{ resources: { subscribe: true } }]);
    expect([ask("subscribe", "a"), ask("subscribe", "b"), ask("subscribe", "a")]).toEqual([{}, {}, {}]);
    expect([...subscribed]).toEqual(["a", "b"]);
    expect([ask("unsubscribe", "a"), ask("unsubscribe", "c")]).toEqual([{}, {}]);
    expect([...subscribed]).toEqual(["b"]);
  });

  it("are 1,000 at most, each counted once", () => {
    const { subscribed, ask } = accept({ resources: {} });
    for (let uri = 0; uri < 1000; uri++) ask("subscribe", String(uri));
    expect(ask("subscribe", "0")).toEqual({});
    expect(() => ask("subscribe", "1000")).toThrow(
      expect.objectContaining({
        code: -32_600,
        message: "At most 1000 resources can be subscribed to. Unsubscribe from one first.",
      }),
    );
    ask("unsubscribe", "0");
    expect(ask("subscribe", "1000")).toEqual({});
    expect(subscribed.size).toBe(1000);
  });
});

describe("the caller of a request", () => {
  const first = { opts: { userId: "first" }, secrets: [] };
  const own = { opts: { userId: "own" }, secrets: [] };
  const authInfo = { token: "", clientId: "", scopes: [] };

  it.each<[string, object | undefined, object]>([
    ["its own by what the library hands on", { authInfo }, own],
    ["the first one over stdio", undefined, first],
    ["the first one where nothing is handed on", {}, first],
    ["the first one where it is another's", { authInfo: { ...authInfo } }, first],
  ])("is %s", (_, http, caller) => {
    const callers = new WeakMap([[authInfo, own]]);
    expect(callerOf(callers, { http } as Parameters<typeof callerOf>[1], first)).toBe(caller);
  });
});
