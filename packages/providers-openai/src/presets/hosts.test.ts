import { expect, it } from "vitest";
import { endsWithHost } from "./hosts.ts";

it.each([
  ["api.mistral.ai", true],
  ["eu.api.mistral.ai", true],
  ["evil-api.mistral.ai", false],
  ["xapi.mistral.ai", false],
  ["api.mistral.ai.example", false],
  ["mistral.ai", false],
  ["", false],
])("the host table says of %j whether it is a host of api.mistral.ai: %s", (host, isOwn) => {
  expect(endsWithHost("api.mistral.ai")(host)).toBe(isOwn);
});

it("the host table knows the hosts of a vendor with several names", () => {
  const isOwn = endsWithHost("openai.azure.com", "services.ai.azure.com");

  expect(["me.openai.azure.com", "me.services.ai.azure.com", "me.azure.com"].map(isOwn)).toEqual([true, true, false]);
});
