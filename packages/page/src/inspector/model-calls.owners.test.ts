import { checkOwners, usersOfAll } from "@troupe-internal/fault-tools";
import type { SessionOwner } from "@troupe/core";
import { EventBus } from "@troupe/core";
import { it } from "vitest";
import { ModelCalls } from "./model-calls.ts";
import type { Noted } from "./model-calls.ts";

it("the memory of model calls takes the room for new calls from the owner who has most, and leaves the calls of all others", async () => {
  const modelCalls = new EventBus<{ begin: Noted }>();
  const calls = new ModelCalls({ modelCalls }, 20_000);
  const note = (owner: SessionOwner, step: string, text: string): void =>
    modelCalls.emit("begin", {
      runId: JSON.stringify(owner),
      step,
      owner,
      model: { providerId: "p", modelId: "m" },
      isStream: false,
      settings: {},
      messages: () => [{ role: "user", content: text }],
      tools: () => [],
    });
  const markIn = (json: string) => (JSON.parse(json) as { messages: { content: string }[] }).messages[0]?.content ?? "";

  await checkOwners({
    shows: ["packages/page/src/inspector/model-calls.ts"],
    owners: usersOfAll,
    leave: async (owner, mark) => await Promise.resolve(note(owner, "m/0", mark)),
    find: async (owner) => {
      const json = calls.find(JSON.stringify(owner), "m/0");
      return await Promise.resolve(json === undefined ? [] : [markIn(json)]);
    },
    remove: async (owner) => {
      for (let step = 1; step < 200; step++) note(owner, `m/${step}`, "More, please.");
      await Promise.resolve();
    },
  });
});
