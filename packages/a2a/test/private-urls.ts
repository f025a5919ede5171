import fc from "fast-check";

/** Networks that are not public, from the registries of special-purpose addresses of IANA: the network and its bits. */
const networks4 = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const;

/** Beginnings of addresses of IPv6 that are not public, to which the rest of eight groups is added. */
const networks6 = ["fc00", "fdff", "fe80", "febf", "fec0", "ff02", "2001:db8", "64:ff9b:1", "100:0:0:0"] as const;

/** A private address of IPv4, as a number. Those that clouds and machines answer at come more often. */
const number4 = fc.oneof(
  fc.constantFrom("127.0.0.1", "169.254.169.254", "10.0.0.1", "192.168.1.1", "172.17.0.1", "0.0.0.0").map(numberOf),
  fc.tuple(fc.constantFrom(...networks4), fc.nat(2 ** 31 - 1)).map(([[network, bits], host]) => {
    return numberOf(network) + (host % 2 ** (32 - bits));
  }),
);

const group = fc.nat(0xffff).map((value) => value.toString(16));

/** A private address of IPv6, with eight groups or `::`. */
const address6 = fc.oneof(
  fc.constantFrom("::1", "::", "0:0:0:0:0:0:0:1", "fd00:ec2::254", "fe80::1"),
  fc.tuple(fc.constantFrom(...networks6), fc.array(group, { minLength: 8, maxLength: 8 })).map(([start, rest]) => {
    const groups = start.split(":");
    return [...groups, ...rest.slice(groups.length)].join(":");
  }),
);

/** A host of a URL that is a private address, in any spelling that a URL takes. */
const privateHost: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(number4, fc.nat(17)).map(([number, form]) => spell(number, form)) },
  { weight: 1, arbitrary: address6.map((address) => `[${address}]`) },
  { weight: 1, arbitrary: address6.map((address) => `[${address.toUpperCase()}]`) },
);

/** A URL of a private host, at a port of the test's own or at none. */
export function privateUrl(port: number): fc.Arbitrary<string> {
  const ports = fc.constantFrom(`:${port}`, `:${port}`, "", ":80", ":8080");
  const paths = fc.constantFrom("", "/", "/hook", "/latest/meta-data/?a=b", "/#@example.com", "/a@example.com/");
  const scheme = fc.constantFrom("http://", "https://", "HTTP://", "https:\\\\", "http:/");
  return fc.tuple(scheme, privateHost, ports, paths).map((parts) => parts.join(""));
}

/** Addresses that a name may have when at least one of them is private, in the order of the resolver's answer. */
export const resolvedAddresses: fc.Arbitrary<string[]> = fc
  .tuple(
    fc.oneof(
      number4.map((number) => spell(number, 0)),
      number4.map((number) => `::ffff:${spell(number, 0)}`),
      address6,
    ),
    fc.subarray(["8.8.8.8", "2606:4700:4700::1111"]),
    fc.boolean(),
  )
  .map(([address, others, isFirst]) => (isFirst ? [address, ...others] : [...others, address]));

function numberOf(dotted: string): number {
  return dotted.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
}

/** Spells an address of IPv4: as parts, as one number, in other bases, in other characters, or within one of IPv6. */
function spell(number: number, form: number): string {
  const [a = 0, b = 0, c = 0, d = 0] = [24, 16, 8, 0].map((shift) => (number >>> shift) & 255);
  const dotted = `${a}.${b}.${c}.${d}`;
  const hex = number.toString(16).padStart(8, "0");
  const groups = `${hex.slice(0, 4)}:${hex.slice(4)}`;
  const octal = (part: number): string => `0${part.toString(8)}`;
  const inHex = (part: number): string => `0x${part.toString(16)}`;
  const forms = [
    dotted,
    `${dotted}.`,
    String(number),
    `0x${hex}`,
    octal(number),
    [a, b, c, d].map(octal).join("."),
    [a, b, c, d].map(inHex).join("."),
    `${inHex(a)}.${b}.${octal(c)}.${d}`,
    `${a}.${b}.${c * 256 + d}`,
    `${a}.${number % 2 ** 24}`,
    dotted.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
    dotted.replaceAll(".", "。"),
    dotted.replace(".", "%2e"),
    `[::ffff:${dotted}]`,
    `[::ffff:${groups}]`,
    `[::${dotted}]`,
    `[64:ff9b::${dotted}]`,
    `[2002:${groups}::]`,
  ];
  return forms[form] ?? dotted;
}
