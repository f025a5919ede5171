import { describe, expect, it } from "vitest";
import { formats } from "./formats.ts";

const uuid = "01234567-89ab-CDEF-0123-456789abcdef";
const longLocal = "x".repeat(314);

describe("formats", () => {
  it("know eight names", () => {
    expect([...formats.keys()]).toEqual(["date", "time", "date-time", "email", "uuid", "uri", "ipv4", "ipv6"]);
  });

  it.each<[string, string[], string[]]>([
    [
      "date",
      ["2024-02-29", "2000-02-29", "0000-02-29", "2023-12-31", "2023-04-30", "2023-01-01", "9999-10-31"],
      [
        "2023-02-29",
        "1900-02-29",
        "2023-04-31",
        "2023-13-01",
        "2023-00-10",
        "2023-01-00",
        "2023-01-32",
        "2023-1-1",
        "23-01-01",
        "12023-01-01",
        "2023-01-01 ",
        " 2023-01-01",
        "2023/01/01",
        "2023-01-01\n",
        "٢٠٢٣-01-01",
        "",
      ],
    ],
    [
      "time",
      ["00:00:00Z", "23:59:60z", "12:34:56.789Z", "12:34:56+23:59", "12:34:56.1-00:00"],
      [
        "24:00:00Z",
        "12:60:00Z",
        "12:34:61Z",
        "12:34:56",
        "12:34Z",
        "12:34:56.Z",
        "12:34:56+24:00",
        "12:34:56+01:60",
        "12:34:56+0100",
        "1:34:56Z",
        "12:34:56Z ",
        " 12:34:56Z",
        "12:34:56 Z",
        "",
      ],
    ],
    [
      "date-time",
      ["2024-02-29T12:34:56Z", "2024-02-29t12:34:56z", "2024-02-29 12:34:56+01:00"],
      [
        "2023-02-29T12:34:56Z",
        "2024-02-29T24:34:56Z",
        "2024-02-29",
        "12:34:56Z",
        "2024-02-29_12:34:56Z",
        "2024-02-29T12:34:56",
        "2024-02-29TT12:34:56Z",
        "2024-02-29\n12:34:56Z",
        "",
      ],
    ],
    [
      "email",
      ["a@b", "a.b+c@d-e.example", "ü@bücher.example", "a!#$%&'*@b.c", `${longLocal}@b.com`],
      [
        "@b",
        "a@",
        "a",
        "a@b@c",
        ".a@b",
        "a.@b",
        "a..b@c",
        "a b@c",
        "a@b c",
        "a@.b",
        "a@b.",
        "a@b..c",
        '"a"@b',
        "a@b_c",
        " a@b",
        "a@b\n",
        `${longLocal}x@b.com`,
        "",
      ],
    ],
    [
      "uuid",
      [uuid, uuid.toLowerCase(), uuid.toUpperCase()],
      [
        uuid.slice(1),
        `${uuid}0`,
        uuid.replaceAll("-", ""),
        uuid.replace("a", "g"),
        `{${uuid}}`,
        `${uuid}\n`,
        ` ${uuid}`,
        "",
      ],
    ],
    [
      "uri",
      ["https://a.example/b?c=d#e", "HTTP://a", "urn:isbn:1", "mailto:a@b", "x+y-z.1:", "a:é"],
      [
        "/a/b",
        "a.example",
        "//a.example",
        "1a:b",
        "http://",
        "http://a b",
        "a:<b>",
        'a:"',
        "a:{b}",
        "a:b|c",
        "a:\\b",
        "a:^",
        "a:`",
        "",
        " a:b",
        "a:b\n",
        "http://a:99999",
      ],
    ],
    ["ipv4", ["0.0.0.0", "255.255.255.255"], ["256.0.0.1", "1.2.3", "1.2.3.4.5", "01.2.3.4", "::1", "1.2.3.4 ", ""]],
    [
      "ipv6",
      ["::", "::1", "2001:db8::1", "::ffff:1.2.3.4"],
      ["1.2.3.4", "fe80::1%eth0", "[::1]", ":::", "12345::", ""],
    ],
  ])("take what is a %s, and nothing else", (name, fitting, others) => {
    const fits = formats.get(name) ?? (() => undefined);

    expect(fitting.filter((text) => fits(text) !== true)).toEqual([]);
    expect(others.filter((text) => fits(text) !== false)).toEqual([]);
  });
});
