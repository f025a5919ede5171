import { describe, expect, it } from "vitest";
import { TextMeter } from "./text-meter.ts";

/** Returns the text bytes of a body, which must be the same in pieces of every size. */
function textOf(json: string): number {
  const bytes = Buffer.from(json);
  const counts = [bytes.length, 1, 2, 3, 7].map((size) => {
    const meter = new TextMeter();
    for (let at = 0; at < bytes.length; at += size) meter.add(bytes.subarray(at, at + size));
    return meter.textBytes;
  });
  expect(new Set(counts).size).toBe(1);
  return counts[0] ?? NaN;
}

/** Returns the number of bytes that are not counted as text. */
const dataOf = (json: string): number => Buffer.byteLength(json) - textOf(json);

describe("TextMeter", () => {
  it.each<[string, string, number]>([
    ["a part's data", '{"input":[{"type":"image","data":"QUJDRA=="}]}', 8],
    ["the data of the second part too", '{"input":[{"data":"QUJD"},{"data":"QUJDQUJD"}]}', 12],
    ["data before its type", '{ "input" : [ { "data" : "QUJD" , "type":"image" } ] }', 4],
    ["data with escaped slashes", String.raw`{"input":[{"data":"\/9j\/4AAQ"}]}`, 10],
    ["data with escaped quotes and backslashes", String.raw`{"input":[{"data":"a\"b\\"}]}`, 6],
    ["data behind a text with an odd number of quotes", String.raw`{"input":[{"text":"\"","data":"QUJD"}]}`, 4],
    ["data behind a text that ends in a backslash", String.raw`{"input":[{"text":"ü\\","data":"QUJD"}]}`, 4],
    ["data behind other fields", '{"sessionId":"data","input":[{"data":"QUJD"}]}', 4],
    ["data before other fields", '{"input":[{"data":"QUJD"}],"userId":"{[data"}', 4],
    ["data in unfinished JSON", '{"input":[{"data":"QUJD', 4],
  ])("leaves out %s", (_, json, expected) => {
    expect(dataOf(json)).toBe(expected);
  });

  it.each([
    ["a string as input", '{"input":"data data"}'],
    ["the text of a part", '{"input":[{"type":"text","text":"data"}]}'],
    ["data in another field", '{"other":[{"data":"QUJD"}]}'],
    ["data directly in the body", '{"data":"QUJD"}'],
    ["data of an object as input", '{"input":{"data":"QUJD"}}'],
    ["data deeper in a part", '{"input":[{"source":{"data":"QUJD"}}]}'],
    ["data in an array of a part", '{"input":[["data","QUJD"]]}'],
    ["data in a nested input", '{"a":{"input":[{"data":"QUJD"}]}}'],
    ["a name that ends or begins as data does", '{"input":[{"data2":"QUJD","xdata":"QUJD"}]}'],
    ["data of a field whose name begins as input does", '{"inputs":[{"data":"QUJD"}],"input_":[{"data":"QUJD"}]}'],
    ["data of a field whose name is the beginning of input", '{"inpu":[{"data":"QUJD"}],"xinput":[{"data":"QUJD"}]}'],
    ["data of a field whose name is long", `{"${"input".repeat(50)}":[{"data":"QUJD"}]}`],
    ["data of a field in capitals", '{"INPUT":[{"data":"QUJD","Data":"QUJD"}],"input":[{"DATA":"QUJD"}]}'],
    ["data in an array of arrays", '{"input":[[{"data":"QUJD"}]]}'],
    ["data in an array", '{"input":[{"data":["QUJD",{"data":"QUJD"}]}]}'],
    ["the name of a field named data twice", '{"input":[{"datadata":"QUJD"}]}'],
    ["a name with an escape", String.raw`{"input":[{"d\u0061ta":"QUJD"}]}`],
    ["the word data in a string", String.raw`{"input":[{"text":"\",\"data\":\"QUJD"}]}`],
    ["the string behind data and its value", '{"input":[{"data":7,"text":"QUJD"}]}'],
    ["an array as body", '[{"data":"QUJD"}]'],
  ])("counts %s as text", (_, json) => {
    expect(dataOf(json)).toBe(0);
  });

  it("counts the second input of a body, and an object behind the input, for what they are", () => {
    expect(dataOf('{"input":"x","input":[{"data":"QUJD"}]}')).toBe(4);
    expect(dataOf('{"input":[{"data":"QUJD"}],"more":[{"data":"QUJD"}]}')).toBe(4);
    expect(dataOf('{"input":[{"data":"QUJD","data":"QUJD"}]}')).toBe(8);
  });
});
