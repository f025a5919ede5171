import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isPrivateAddress, isPrivateUrl } from "./private-address.ts";
import { privateRanges, randomAddress, toNumber, toText } from "../../../test/addresses.ts";

const isInRange = (value: bigint, family: 4 | 6) =>
  privateRanges.some((range) => {
    if (range.family !== family) return false;
    const hostBits = BigInt((family === 4 ? 32 : 128) - range.bits);
    return value >> hostBits === toNumber(range.network) >> hostBits;
  });

const spellings = [
  (address: string) => address,
  (address: string) => address.toUpperCase(),
  (address: string) => (address.includes(":") ? `${address}%eth0` : address),
  (address: string) => (address.includes(":") ? address.replaceAll(/\b0\b/g, "0000") : address),
];

describe("isPrivateAddress", () => {
  it.each(privateRanges)("is true for both ends of $network/$bits", (range) => {
    expect(isPrivateAddress(randomAddress(range, 0n))).toBe(true);
    expect(isPrivateAddress(randomAddress(range, (1n << 128n) - 1n))).toBe(true);
  });

  it("is true for all addresses of the ranges, in every spelling", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...privateRanges),
        fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }),
        fc.constantFrom(...spellings),
        (range, host, spell) => {
          expect(isPrivateAddress(spell(randomAddress(range, host)))).toBe(true);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it("is false for every other IPv4 address", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: (1n << 32n) - 1n }), (value) => {
        expect(isPrivateAddress(toText(value, 4))).toBe(isInRange(value, 4));
      }),
      { numRuns: 2000 },
    );
  });

  it("is false for every other address of 2000::/3, and true for all outside it", () => {
    const value = fc.bigInt({ min: 0n, max: (1n << 128n) - 1n });
    fc.assert(
      fc.property(value, (any) => {
        const isGlobalUnicast = any >> 125n === 1n;
        expect(isPrivateAddress(toText(any, 6))).toBe(!isGlobalUnicast || isInRange(any, 6));
      }),
      { numRuns: 2000 },
    );
  });

  it.each(["8.8.8.8", "1.1.1.1", "172.15.255.255", "172.32.0.0", "2606:4700:4700::1111", "2a00:1450:4001::200e"])(
    "lets %s through",
    (address) => {
      expect(isPrivateAddress(address)).toBe(false);
    },
  );

  it.each(["::ffff:8.8.8.8", "::ffff:808:808", "64:ff9b::8.8.8.8", "2002:808:808::", "2001:0:808:808::"])(
    "takes %s for private, because it carries an address in an address",
    (address) => {
      expect(isPrivateAddress(address)).toBe(true);
    },
  );

  it.each(["", "localhost", "1.2.3", "256.1.1.1", "[::1]", "8.8.8.8 ", "8.8.8.8%eth0", "nonsense:"])(
    "takes %j for private, because it is no address",
    (text) => {
      expect(isPrivateAddress(text)).toBe(true);
    },
  );
});

describe("isPrivateUrl", () => {
  it.each([
    "http://localhost",
    "http://LOCALHOST.:80",
    "http://a.localhost",
    "http://localhost.localdomain",
    "http://nas.local",
    "http://metadata.google.internal",
    "http://wiki.intranet",
    "http://payments.shop.svc:8080",
    "http://payments.shop.svc.cluster.local",
    "http://router.lan",
    "http://box.home.arpa",
    "http://intranet",
    "http://web.shop.svc",
    "http://web.shop.svc.cluster.local:8080",
    "http://10.0.0.1.nip.io",
    "http://app.10.0.0.1.nip.io.",
    "http://app-127-0-0-1.sslip.io",
    "http://8.8.8.8.192.168.0.1.nip.io",
    // The address overlaps with another one that can be read there.
    "http://9.9.10.0.0.1.nip.io",
    "http://9-9-192-168-0-1.nip.io",
    "http://app-0A000001.nip.io",
    "http://--1.sslip.io",
    "http://fd00--1.sslip.io",
    "http://nothing.nip.io",
    "http://300.1.1.1.nip.io",
    "http://app.lvh.me",
    "http://localtest.me",
    "http://127.0.0.1.",
    "http://127.1",
    "http://0177.0.0.1",
    "http://[::]",
    "http://[fd00::1]:8080",
    "http://169.254.169.254",
  ])("is true for %s", (url) => {
    expect(isPrivateUrl(new URL(url))).toBe(true);
  });

  it.each([
    "http://example.com",
    "http://local.example.com",
    "http://svc.example.com",
    "http://mylocal.host",
    "http://notlocalhost.com",
    "http://xn--bcher-kva.example",
    "http://8.8.8.8",
    "http://8.8.8.8.nip.io",
    "http://app-8-8-8-8.sslip.io",
    "http://08080808.nip.io",
    "http://2606-4700-4700--1111.sslip.io",
    "http://svc.example.com",
    "http://nip.io.example.com",
    "http://nip.io",
    "http://[2606:4700:4700::1111]",
  ])("is false for %s", (url) => {
    expect(isPrivateUrl(new URL(url))).toBe(false);
  });
});
