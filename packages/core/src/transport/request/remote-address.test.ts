import { expect, it } from "vitest";
import { readRemoteAddress } from "./remote-address.ts";

const socket = { remoteAddress: "10.0.0.1" };

it.each([
  [{ ip: "203.0.113.9", socket }, "203.0.113.9"],
  [{ ip: "", socket }, ""],
  [{ socket }, "10.0.0.1"],
  [{ ip: undefined, socket }, "10.0.0.1"],
  [{ ip: ["203.0.113.9"], socket }, "10.0.0.1"],
  [{ ip: null, socket: { remoteAddress: undefined } }, undefined],
  [{ socket: {} }, undefined],
  [{}, undefined],
  [undefined, undefined],
])("the address of %j is %s where addresses are trusted, and else there is none", (request, address) => {
  expect(readRemoteAddress(request, true)).toBe(address);
  expect(readRemoteAddress(request, false)).toBeUndefined();
});
