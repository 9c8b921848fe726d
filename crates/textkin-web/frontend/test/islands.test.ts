// Tests of the islands' pure functions.
import { describe, expect, it } from "vitest";
import { percent } from "../src/dom";
import { follow, hue, nearest } from "../src/islands/compare/follow";
import { type Circle, pack } from "../src/islands/graph/bubbles";
import { groupColours, type Node } from "../src/islands/graph/data";
import { shorten } from "../src/islands/graph/matrix";
import { dayAt } from "../src/islands/origins";
import { safePath } from "../src/islands/probe";
import { nearestIndex, placesOf } from "../src/islands/reading";
import { queryOf } from "../src/islands/results";
import { addressOf, callsOf, exampleOf, resolve } from "../src/islands/schema";
import { sortedOrder } from "../src/islands/sorting";
import { directionsNear } from "../src/islands/more-text";
import { pause } from "../src/islands/wait";
import { firstOfEach, type Mark, textRuns } from "../src/islands/full-text";
import { completeLines, stepOf, stepsOf } from "../src/islands/steps";

describe("numbers", () => {
  it("only all is 100% and only none is 0%", () => {
    expect([0, 0.001, 0.4, 0.999, 1, NaN].map(percent)).toEqual(["0%", "<1%", "40%", ">99%", "100%", "n/a"]);
  });
});

describe("side by side", () => {
  it("interpolates between anchors", () => {
    const anchors = [[0, 0], [100, 300], [200, 400], [1000, 2000]] as const;
    expect([0, 50, 150, 600, 2000].map((position) => follow(anchors, position))).toEqual([0, 150, 350, 1200, 2000]);
  });
  it("finds the nearest match and skips missing ones", () => {
    expect(nearest([10, NaN, 50], 45)).toBe(2);
    expect(nearest([NaN], 45)).toBe(-1);
  });
  it("loads the next part of a long text before its end is reached", () => {
    expect(directionsNear(0, 800, 10_000)).toEqual(["earlier"]);
    expect(directionsNear(5_000, 800, 10_000)).toEqual([]);
    expect(directionsNear(8_500, 800, 10_000)).toEqual(["later"]);
    expect(directionsNear(0, 800, 900)).toEqual(["earlier", "later"]);
  });
  it("gives six colours and four patterns", () => {
    expect([0, 6, 23, 24].map(hue)).toEqual(["c0 l0", "c0 l1", "c5 l3", "c0 l0"]);
  });
});

describe("graph", () => {
  it("packs bubbles without overlap", () => {
    const circles = pack(Array.from({ length: 60 }, (_, at) => 40 - at / 2));
    const touches = (a: Circle, b: Circle): boolean => Math.hypot(a.x - b.x, a.y - b.y) < a.r + b.r;
    for (const [at, circle] of circles.entries()) {
      expect(circles.slice(at + 1).some((other) => touches(circle, other))).toBe(false);
    }
  });
  it("colours the most frequent groups and greys the rest", () => {
    const nodes = ["a", "b", "b", "c"].map((group) => ({ group }) as Node);
    expect([...groupColours(nodes, ["red", "blue"], "grey")]).toEqual([["b", "red"], ["a", "blue"], ["c", "grey"]]);
  });
  it("shortens by whole characters", () => {
    expect(shorten("😀😀😀", 2)).toBe("😀…");
  });
});

describe("reading", () => {
  it("finds words in any case, without overlap", () => {
    expect(placesOf("Aa aaa, AA", "aa")).toEqual([0, 3, 8]);
    expect(placesOf("none", "")).toEqual([]);
  });
  it("starts with the match next to what is seen", () => {
    expect(nearestIndex([-500, -20, 30, 90], 1)).toBe(2);
    expect(nearestIndex([-500, -20, 30, 90], -1)).toBe(1);
    expect(nearestIndex([-3, -2], 1)).toBe(0);
    expect(nearestIndex([-3, -2], -1)).toBe(1);
  });
});

describe("sorting", () => {
  it("sorts numbers as numbers and keeps the order of equals", () => {
    expect(sortedOrder([10, 9, 10, 1], false)).toEqual([0, 2, 1, 3]);
    expect(sortedOrder(["b 10", "b 9", "a"], true)).toEqual([2, 1, 0]);
  });
});

describe("probe", () => {
  it("reads complete lines only", () => {
    expect(completeLines('{"step":"a"}\n\n{"st')).toEqual({ lines: ['{"step":"a"}'], rest: '{"st' });
    expect([stepOf("nonsense"), stepOf("3"), stepOf('{"step":"done"}')]).toEqual([undefined, undefined, { step: "done" }]);
  });
  it("never links to another host", () => {
    expect(["/results/7", "//evil.example", "javascript:alert(1)", "/\\evil", undefined].map(safePath)).toEqual(["/results/7", "/", "/", "/", "/"]);
  });
  it("reports a response without an end as failed", async () => {
    const steps = async (body: string, type: string, status = 200): Promise<string[]> => {
      const reasons: string[] = [];
      for await (const step of stepsOf(new Response(body, { status, headers: { "Content-Type": type } }))) reasons.push(step.reason ?? step.step);
      return reasons;
    };
    expect(await steps('{"step":"words","words":3}\n{"step":"done"}', "application/x-ndjson")).toEqual(["words", "done"]);
    expect(await steps('{"step":"words"}', "application/x-ndjson")).toEqual(["words", "the connection to the server was lost"]);
    expect(await steps('{"detail":"too many"}', "application/problem+json", 429)).toEqual(["too many"]);
    expect(await steps("<html>", "text/html", 500)).toEqual(["the server responded with status 500"]);
  });
});

describe("waiting", () => {
  it("polls quickly at first and at least every ten seconds", () => {
    expect([0, 1, 100].map(pause)).toEqual([500, 750, 10_000]);
  });
});

describe("results", () => {
  it("omits empty fields from the URL", () => {
    const data = new FormData();
    data.append("min_run", "8");
    data.append("common", "");
    data.append("quotes", "1");
    expect(queryOf(data)).toBe("min_run=8&quotes=1");
  });
});

describe("the text of a result", () => {
  const marks: Mark[] = [[2, 4, 1], [4, 6, "quotation"], [8, 14, 2], [15, 16, 1]];
  it("is cut where marks begin and end", () => {
    const firsts = firstOfEach(marks);
    expect([...firsts]).toEqual([0, 2]);
    expect(textRuns(marks, firsts, 0, 10)).toEqual([
      { from: 0, to: 2 },
      { from: 2, to: 4, of: 1, begins: true, first: true },
      { from: 4, to: 6, of: "quotation", begins: true, first: false },
      { from: 6, to: 8 },
      { from: 8, to: 10, of: 2, begins: true, first: true },
    ]);
    // A mark that continues in the next part is numbered once.
    expect(textRuns(marks, firsts, 10, 17)).toEqual([
      { from: 10, to: 14, of: 2, begins: false, first: false },
      { from: 14, to: 15 },
      { from: 15, to: 16, of: 1, begins: true, first: false },
      { from: 16, to: 17 },
    ]);
    expect(textRuns([], new Set(), 3, 3)).toEqual([]);
  });
});

describe("origins", () => {
  it("turns positions of the drawing into days", () => {
    expect([0, 0.02, 0.98, 1].map((position) => dayAt(position, 0, 86400 * 10))).toEqual(["1970-01-01", "1970-01-01", "1970-01-11", "1970-01-11"]);
  });
});

describe("api", () => {
  const description = {
    paths: {
      "/api/v1/repositories/{name}": {
        parameters: [{ $ref: "#/components/parameters/Name" }],
        get: { parameters: [{ name: "page", in: "query" }] },
      },
    },
    components: {
      parameters: { Name: { name: "name", in: "path", required: true } },
      schemas: { Loop: { type: "object", properties: { next: { $ref: "#/components/schemas/Loop" }, id: { type: "string", example: "a" } } } },
    },
  };
  it("builds URLs from values", () => {
    const [call] = callsOf(description);
    expect(call && addressOf(call, { name: "a/b", page: "" })).toBe("/api/v1/repositories/a%2Fb");
    expect(call && addressOf(call, { name: "a", page: "2" })).toBe("/api/v1/repositories/a?page=2");
  });
  it("handles circular references", () => {
    const example = exampleOf(description, { $ref: "#/components/schemas/Loop" }) as { id: string };
    expect(example.id).toBe("a");
    expect(resolve({}, { $ref: "#/nowhere" })).toEqual({ $ref: "#/nowhere" });
  });
});
