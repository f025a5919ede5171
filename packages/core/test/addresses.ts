/** A range of addresses, listed apart from the code under test. */
export type Range = { network: string; bits: number; family: 4 | 6 };

const v4 = (network: string, bits: number): Range => ({ network, bits, family: 4 });
const v6 = (network: string, bits: number): Range => ({ network, bits, family: 6 });

/** All ranges that must not be reached, from the IANA special-purpose registries. */
export const privateRanges: readonly Range[] = [
  v4("0.0.0.0", 8),
  v4("10.0.0.0", 8),
  v4("100.64.0.0", 10),
  v4("127.0.0.0", 8),
  v4("169.254.0.0", 16),
  v4("172.16.0.0", 12),
  v4("192.0.0.0", 24),
  v4("192.0.2.0", 24),
  v4("192.88.99.0", 24),
  v4("192.168.0.0", 16),
  v4("198.18.0.0", 15),
  v4("198.51.100.0", 24),
  v4("203.0.113.0", 24),
  v4("224.0.0.0", 4),
  v4("240.0.0.0", 4),
  v6("0:0:0:0:0:0:0:0", 128),
  v6("0:0:0:0:0:0:0:1", 128),
  v6("0:0:0:0:0:ffff:0:0", 96),
  v6("64:ff9b:0:0:0:0:0:0", 96),
  v6("64:ff9b:1:0:0:0:0:0", 48),
  v6("100:0:0:0:0:0:0:0", 64),
  v6("2001:0:0:0:0:0:0:0", 23),
  v6("2001:db8:0:0:0:0:0:0", 32),
  v6("2002:0:0:0:0:0:0:0", 16),
  v6("3fff:0:0:0:0:0:0:0", 20),
  v6("fc00:0:0:0:0:0:0:0", 7),
  v6("fe80:0:0:0:0:0:0:0", 10),
  v6("fec0:0:0:0:0:0:0:0", 10),
  v6("ff00:0:0:0:0:0:0:0", 8),
];

/** Returns an address of a range, with the host bits from a number. */
export function randomAddress({ network, bits, family }: Range, host: bigint): string {
  const hostBits = BigInt((family === 4 ? 32 : 128) - bits);
  return toText(toNumber(network) | (host & ((1n << hostBits) - 1n)), family);
}

/** Parses four decimal or eight hexadecimal groups as a number. */
export function toNumber(address: string): bigint {
  const isV6 = address.includes(":");
  const groups = address.split(isV6 ? ":" : ".").map((group) => BigInt(isV6 ? `0x${group}` : group));
  return groups.reduce((sum, group) => (sum << (isV6 ? 16n : 8n)) | group, 0n);
}

/** Formats a number as dotted decimal or as eight hexadecimal groups. */
export function toText(value: bigint, family: 4 | 6): string {
  const [count, width] = family === 4 ? [4, 8n] : [8, 16n];
  const groups = Array.from({ length: count }, (_, index) => {
    return (value >> (width * BigInt(count - 1 - index))) & ((1n << width) - 1n);
  });
  return family === 4 ? groups.join(".") : groups.map((group) => group.toString(16)).join(":");
}
