import type { Request } from "express";
import { describe, expect, it } from "vitest";
import type { RouterSettings } from "../settings/router-options.ts";
import { chooseService, isPlain } from "./choose-service.ts";

type OnDisconnect = RouterSettings["onDisconnect"];

const requestOf = (headers: object = {}, url = "/agents/a/run") => ({ headers, url }) as Request;
const target = { kind: "agent", name: "a" } as const;

/** Settings whose runs keep what they are asked for, and answer with it if they keep the run. */
function settingsOf(onDisconnect: OnDisconnect, { keeps = true, durable = false } = {}) {
  const keeperOf = (asked: object) => (keeps ? asked : undefined);
  return { onDisconnect, servedRuns: { keeperOf, durable: durable ? {} : undefined } } as unknown as RouterSettings;
}

describe("isPlain", () => {
  it.each<[OnDisconnect, object, boolean, boolean]>([
    ["cancel", {}, false, true],
    ["cancel", { "idempotency-key": "k" }, false, false],
    ["cancel", { "idempotency-key": "" }, false, false],
    ["cancel", {}, true, false],
    ["continue", {}, false, false],
  ])("with onDisconnect %j and the headers %j", (...[onDisconnect, headers, durable, expected]) => {
    expect(isPlain(requestOf(headers), settingsOf(onDisconnect, { durable }))).toBe(expected);
  });
});

describe("chooseService", () => {
  it.each<[OnDisconnect, string, boolean]>([
    ["cancel", "", true],
    ["continue", "", false],
    ["continue", "?onDisconnect=cancel", true],
  ])("asks whether the run ends with its client: %s and %j", (onDisconnect, query, endsWithClient) => {
    const chosen = chooseService(requestOf({}, `/a${query}`), target, settingsOf(onDisconnect));

    expect(chosen).toEqual({ ...target, key: undefined, mustExist: false, endsWithClient });
  });

  it("asks for the run of a key, which must exist behind an event", () => {
    const keyed = { "idempotency-key": "k1" };
    const again = { ...keyed, "last-event-id": "1-2" };
    const workflow = { kind: "workflow", name: "w" } as const;

    expect(chooseService(requestOf(keyed), workflow, settingsOf("cancel"))).toEqual({
      ...workflow,
      key: "k1",
      mustExist: false,
      endsWithClient: true,
    });
    expect(chooseService(requestOf(again), target, settingsOf("cancel"))).toMatchObject({ key: "k1", mustExist: true });
  });

  it("refuses an event without a key of a kept run only", () => {
    const request = requestOf({ "last-event-id": "1-2" });
    const message =
      "Last-Event-ID needs the Idempotency-Key with which the run was begun. Without one, read the run's events at /runs/:runId/events.";

    expect(() => chooseService(request, target, settingsOf("continue"))).toThrow(
      expect.objectContaining({ code: "invalid_request", message }),
    );
    expect(chooseService(request, target, settingsOf("cancel", { keeps: false }))).toBeUndefined();
  });
});
