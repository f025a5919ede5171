import type { BlockList } from "node:net";
import { ipVersion } from "../../base/util/ip-version.ts";

/**
 * Special-purpose ranges of IPv4: this host, private, shared, loopback, link-local, documentation, benchmark,
 * multicast, reserved.
 */
const privateV4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
];

/**
 * Special-purpose ranges of IPv6. Only 2000::/3 is global unicast, so the first three entries are everything outside
 * it: loopback, IPv4-mapped, NAT64, unique local, link-local, site-local, multicast. The others lie inside it: Teredo
 * and ORCHID, 6to4 and documentation.
 */
const privateV6 = ["::/3", "4000::/2", "8000::/1", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"];

/**
 * Returns true if an address is not public and unicast. A string that is not an address counts as private. Every IPv4
 * address embedded in an IPv6 address counts as private, too.
 */
export function isPrivateAddress(address: string): boolean {
  const family = ipVersion(address);
  if (family === 0) return true;
  // The zone of an IPv6 address names an interface of this machine and is not part of the address.
  const [plain = ""] = address.split("%");
  return family === 4 ? listOf(privateV4, "ipv4").check(plain, "ipv4") : listOf(privateV6, "ipv6").check(plain, "ipv6");
}

/**
 * Matches endings of names that lead to this machine or its network, by RFC 6761, 6762 and 8375, ICANN and convention.
 */
const localName = /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|lan|svc|home\.arpa)$/;

/**
 * Matches public services whose names resolve to an address that the name contains, as `10.0.0.1`, `10-0-0-1` or
 * hexadecimal.
 */
const addressService = /\.(?:nip\.io|sslip\.io|xip\.io|traefik\.me)$/;

/** Public names that lead to this machine. */
const loopbackName = /(?:^|\.)(?:localtest\.me|lvh\.me|vcap\.me|lacolhost\.com)$/;

/**
 * Returns true if a URL leads to a private address, or to a name of this machine or its network, without asking DNS. A
 * name without a dot counts as a name of the network.
 */
export function isPrivateUrl(url: URL): boolean {
  const host = bareHost(url).replace(/\.$/, "");
  if (ipVersion(host) !== 0) return isPrivateAddress(host);
  if (!host.includes(".") || localName.test(host) || loopbackName.test(host)) return true;
  return addressService.test(host) && holdsPrivateAddress(host.replace(addressService, ""));
}

/**
 * Returns true if a name of an `addressService` contains a non-public address. A name without an address leads to this
 * machine and counts too.
 */
function holdsPrivateAddress(name: string): boolean {
  const addresses = addressesIn(name);
  return addresses.length === 0 || addresses.some(isPrivateAddress);
}

/**
 * Returns all addresses that a name contains. If there are several, the services differ in the address that they use.
 */
function addressesIn(name: string): string[] {
  const ofNumbers = [...name.matchAll(/(?<!\d)(?=(\d{1,3})[.-](\d{1,3})[.-](\d{1,3})[.-](\d{1,3})(?!\d))/g)];
  const ofHex = [...name.matchAll(/(?<![\da-z])([\da-f]{2})([\da-f]{2})([\da-f]{2})([\da-f]{2})(?![\da-z])/g)];
  const v6 = name.slice(name.lastIndexOf(".") + 1).replaceAll("-", ":");
  return [
    ...ofNumbers.map(([, ...parts]) => parts.map(Number).join(".")),
    ...ofHex.map(([, ...parts]) => parts.map((part) => parseInt(part, 16)).join(".")),
    ...(ipVersion(v6) === 6 ? [v6] : []),
  ];
}

/** Returns the host of a URL without the brackets around IPv6. */
export function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}

// One block list for IPv4 and one for IPv6: in a mixed list, IPv4 addresses would match entries of IPv6.
function listOf(subnets: readonly string[], family: "ipv4" | "ipv6"): BlockList {
  const list = new (process.getBuiltinModule("node:net").BlockList)();
  for (const subnet of subnets) {
    const [network = "", bits] = subnet.split("/");
    list.addSubnet(network, Number(bits), family);
  }
  return list;
}
