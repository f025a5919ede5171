import { describe, expect, it } from "vitest";
import { webhookEvents } from "../record/run-notice.ts";
import { secretOf, settingsOf } from "./test/webhook-world.ts";

const url = "https://hooks.example.com/ä?token=canary-in-address";
const secrets = [secretOf("a")];
const bytes = (count: number) => `whsec_${Buffer.alloc(count, "canary").toString("base64")}`;

describe("the option webhooks", () => {
  it("is an array of webhooks, or an object with targets, with the same defaults", () => {
    const settings = settingsOf([{ url, secrets }]);

    expect(settings).toEqual({
      targets: [{ id: expect.stringMatching(/^[\da-f]{16}$/) as string, url, secrets, events: [...webhookEvents] }],
      allowCallers: false,
      maxPerOwner: 100,
      allowPrivateHosts: [],
      timeoutMs: 15_000,
    });
    expect(settingsOf({ targets: [{ url, secrets }] })).toEqual(settings);
  });

  it.each<[what: string, given: unknown, message: RegExp]>([
    ["no array and no object", 5, /webhooks must be an object/],
    ["an unknown option", { target: [] }, /Unknown option "webhooks\.target"|target/],
    ["an unknown field", [{ url, secrets, event: [] }], /event/],
    ["no secret", [{ url, secrets: [] }], /webhooks\[0\]\.secrets must have at least one secret/],
    ["a secret that is too short", [{ url, secrets: [bytes(23)] }], /secrets\[0\] must be whsec_ and 24 to 64 bytes/],
    ["a secret that is too long", [{ url, secrets: [bytes(65)] }], /secrets\[0\] must be whsec_ and 24 to 64 bytes/],
    ["a secret without its prefix", [{ url, secrets: ["canary".repeat(9)] }], /secrets\[0\] must be whsec_/],
    ["an unknown event", [{ url, secrets, events: ["run.ended"] }], /events\[0\] must be "run\.completed"/],
    ["plain HTTP", [{ url: "http://hooks.example.com", secrets }], /webhooks\[0\]\.url must be an https: address/],
    ["a private address", { targets: [{ url: "https://[fd00::1]/", secrets }] }, /webhooks\.targets\[0\]\.url must be/],
    ["credentials", [{ url: "https://u:canary@hooks.example.com", secrets }], /webhooks\[0\]\.url must be an https:/],
    ["no address", [{ url: "canary", secrets }], /url must be an address of at most 2048/],
    ["a long address", [{ url: `https://a.example.com/${"x".repeat(2048)}`, secrets }], /at most 2048 characters/],
    [
      "an address twice",
      [
        { url, secrets },
        { url, secrets },
      ],
      /webhooks\[1\]\.url is the address of another webhook/,
    ],
    ["a private host without its port", { allowPrivateHosts: ["localhost"] }, /host and port/],
    ["no room for any webhook", { maxPerOwner: 0 }, /maxPerOwner must be an integer from 1/],
  ])("is refused with %s, without a word of a secret or an address [webhooks.private]", (_what, webhooks, message) => {
    const make = () => settingsOf(webhooks as never);

    expect(make).toThrow(message);
    expect(make).not.toThrow(/canary/);
    expect(make).toThrow(expect.objectContaining({ code: "invalid_config" }));
  });

  it.each([24, 64])("takes a secret of %i bytes, and a private host that is listed, also over plain HTTP", (count) => {
    const targets = [{ url: "http://127.0.0.1:8080/é", secrets: [bytes(count), bytes(32)] }];

    expect(settingsOf({ targets, allowPrivateHosts: ["127.0.0.1:8080"] }).targets).toHaveLength(1);
  });
});
