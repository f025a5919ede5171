import { toNumber } from "./addresses.ts";

/** Returns the spellings of an address that a URL accepts, each as a host after `http://`. */
export function urlHosts(address: string): string[] {
  return address.includes(":") ? v6Hosts(address) : v4Hosts(address);
}

function v6Hosts(address: string): string[] {
  const compressed = new URL(`http://[${address}]`).hostname;
  const padded = address.replaceAll(/[\da-f]+/g, (group) => group.padStart(4, "0"));
  return [compressed, `[${padded}]`, `[${address.toUpperCase()}]`, `${compressed}:8080`];
}

function v4Hosts(address: string): string[] {
  const value = toNumber(address);
  const [a = "", b = "", c = "", d = ""] = address.split(".");
  const hex = value.toString(16).padStart(8, "0");
  const groups = `${hex.slice(0, 4)}:${hex.slice(4)}`;
  const radix = (part: string, base: 8 | 16) => `${base === 8 ? "0" : "0x"}${Number(part).toString(base)}`;
  return [
    address,
    `${address}.`,
    String(value),
    `0x${hex}`,
    `0X${hex.toUpperCase()}`,
    `0${value.toString(8)}`,
    [a, b, c, d].map((part) => radix(part, 8)).join("."),
    [a, b, c, d].map((part) => radix(part, 16)).join("."),
    [radix(a, 16), b, radix(c, 8), d].join("."),
    `${a}.${b}.${Number(c) * 256 + Number(d)}`,
    `${a}.${value & 0xff_ff_ffn}`,
    fullWidth(address),
    address.replaceAll(".", "。"),
    address.replace(".", "%2e"),
    `[::ffff:${address}]`,
    `[::ffff:${groups}]`,
    `[::${address}]`,
    `[64:ff9b::${address}]`,
    `[2002:${groups}::]`,
    `[2001:0:${groups}::1]`,
    `${address}:8080`,
  ];
}

function fullWidth(text: string): string {
  return text.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));
}
