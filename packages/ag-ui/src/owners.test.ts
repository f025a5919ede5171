import { checkOwners, principals } from "@troupe-internal/fault-tools";
import { Agent, createLogger, defineTool, InMemoryStorage } from "@troupe/core";
import { createService, serve } from "@troupe/core/service";
import type { Principal, ServiceRequest } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { agUi } from "./index.ts";

const shows = ["packages/ag-ui/src/ag-ui.ts"];

/** Of two users and of two tenants: of each there are two who differ in nothing else. */
type User = { readonly userId: string; readonly tenantId?: string };
const users: readonly User[] = principals.slice(1, 5);

function readUser({ headers }: ServiceRequest): Principal | undefined {
  const [userId, tenantId] = [headers.get("x-test-user"), headers.get("x-test-tenant")];
  return userId === null ? undefined : { userId, ...(tenantId !== null && { tenantId }) };
}

const headersOf = ({ userId, tenantId }: User): Record<string, string> => ({
  "x-test-user": userId,
  ...(tenantId !== undefined && { "x-test-tenant": tenantId }),
});

type Answer = { readonly status: number; readonly events: readonly { readonly [field: string]: unknown }[] };

/** Serves an agent that tells what was said to it, and one that asks before it pays. */
async function open(isDurable: boolean) {
  const paid: unknown[] = [];
  const telling = new ScriptedModel().respond(({ messages }) =>
    messages.flatMap(({ role, content }) => (role === "user" ? [content as string] : [])).join("; "),
  );
  const paying = new ScriptedModel().respond(({ messages }) =>
    messages.at(-1)?.role === "tool" ? "Done." : { toolCalls: [{ name: "pay", arguments: {} }] },
  );
  const pay = defineTool({
    name: "pay",
    description: "Pays.",
    parameters: { type: "object" },
    needsApproval: true,
    execute: () => (paid.push(1), "Paid."),
  });
  const storage = new InMemoryStorage();
  const service = createService({
    agents: {
      teller: new Agent({ name: "teller", model: telling, storage }),
      payer: new Agent({ name: "payer", model: paying, tools: [pay], storage }),
    },
    authenticate: readUser,
    ...(isDurable && { storage, durable: true as const }),
    logger: createLogger({ level: "silent" }),
  });
  const { url, server } = await serve(service, [agUi()], { port: 0 });
  onTestFinished(async () => {
    server.closeAllConnections();
    await service.close({ graceMs: 0 });
  });
  const ask = async (name: string, user: User, body: object): Promise<Answer> => {
    const response = await fetch(`${url}/agui/agents/${name}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headersOf(user) },
      body: JSON.stringify({ threadId: "th", messages: [], ...body }),
    });
    const lines = [...(await response.text()).matchAll(/^data: (.*)$/gm)];
    return { status: response.status, events: lines.map(([, json = ""]) => JSON.parse(json) as object as never) };
  };
  return { ask, paid };
}

const says = (content: string) => ({ messages: [{ id: "u", role: "user", content }] });
const textOf = ({ events }: Answer): string => events.map(({ delta = "" }) => String(delta)).join("");

describe.each([true, false])("users who differ in one field, in threads of one id, durable: %s", (isDurable) => {
  it("go on with their own conversation alone [ag-ui.owners]", async () => {
    const { ask } = await open(isDurable);
    let runs = 0;
    await checkOwners({
      shows,
      owners: users,
      leave: async (user, mark) => void (await ask("teller", user, { runId: `r${(runs += 1)}`, ...says(mark) })),
      find: async (user) => {
        const answer = await ask("teller", user, { runId: `r${(runs += 1)}`, ...says("What?") });
        return textOf(answer)
          .split("; ")
          .filter((text) => text !== "What?");
      },
    });
  });

  it("find their own run alone by the id that they gave it [ag-ui.owners]", async () => {
    const { ask } = await open(isDurable);
    const marks = new Map<User, string>();
    await checkOwners({
      shows,
      owners: users,
      leave: async (user, mark) => {
        marks.set(user, mark);
        expect(textOf(await ask("teller", user, { runId: "r", ...says(mark) }))).toBe(mark);
      },
      // Another user's message would be refused for this id, if the ids were not apart.
      find: async (user) => [textOf(await ask("teller", user, { runId: "r", ...says(marks.get(user) ?? "") }))],
    });
  });

  it("answer their own question alone [ag-ui.owners]", async () => {
    const { ask, paid } = await open(isDurable);
    const waiting = new Map<User, string>();
    const resume = [{ interruptId: "t.0.0", status: "resolved", payload: { approved: true } }];
    let answers = 0;
    await checkOwners({
      shows,
      owners: users,
      leave: async (user, mark) => {
        // Nobody has asked this user yet, though others of the same thread were asked.
        expect((await ask("payer", user, { runId: "early", resume })).status).toBe(409);
        await ask("payer", user, { runId: "r", ...says("Pay.") });
        waiting.set(user, mark);
      },
      find: async (user) => {
        const { status } = await ask("payer", user, { runId: `new-${(answers += 1)}`, resume: [], ...says("And?") });
        const mark = waiting.get(user);
        return status === 409 && mark !== undefined ? [mark] : [];
      },
      remove: async (user) => {
        const count = paid.length;
        expect(textOf(await ask("payer", user, { runId: "answered", resume }))).toContain("Done.");
        expect(paid).toHaveLength(count + 1);
        waiting.delete(user);
      },
    });
  });
});
