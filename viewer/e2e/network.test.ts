// The network of a survey in a real browser.
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { before } from "node:test";
import type { Page } from "playwright-core";
import type exampleRecord from "../../build/test-data/example-network.json";
import { exampleNetwork, type MadePage, pageOf, recordFile } from "./pages";
import {
  assertFits,
  assertSound,
  assertTables,
  assertTablesOf,
  assertSoundWithTables,
  describeInBrowser,
  lookAt,
  drawn,
  redrawnAt,
  rowsOf,
  tabStops,
} from "./browser";

const MEGABYTE = 1e6;

type Network = typeof exampleRecord.facts.network;

interface Survey {
  facts: typeof exampleRecord.facts;
  samples: Record<string, object>;
}

describeInBrowser("network of a survey", (open, test) => {
  let small: MadePage;
  let large: MadePage;
  let alone: MadePage;
  let compared: MadePage;
  let record: Survey;

  before(async () => {
    const [one, lone] = await Promise.all([
      exampleNetwork("network"),
      exampleNetwork("alone", "--nodes", "1", "--probes", "net_pairs", "net_curve", "net_loggp"),
    ]);
    record = JSON.parse(readFileSync(one, "utf8")) as Survey;
    small = await pageOf("network", one);
    large = await pageOf("many-nodes", exampleNetwork("many-nodes", "--nodes", "1024", "--pairs", "600"));
    alone = await pageOf("alone", lone);
    compared = await pageOf("networks", one, lone);
  });

  test("page of 1,024 nodes stays under half a MB", () => {
    assert.ok(statSync(large.path).size < MEGABYTE / 2);
  });

  test("phone, desktop and paper, light and dark: all has its room, a name and a table with all rows; nothing is fetched", async () => {
    await assertSoundWithTables(open, [small, large], "#section-network");
    await assertSound(open, [alone]);
    await assertTables((await open(compared)).page, compared.path, "#section-network");
  });

  test("a node without others shows what there is within it", async () => {
    const { page } = await open(alone);
    const figures = await figuresOf(page);
    for (const part of ["layers", "loggp", "curve-time", "pairs", "launches"])
      assert.ok(figures.includes(`network-${part}`), part);
    assert.equal(await page.locator("#network-pairs .cell").count(), 2);
    assert.equal(await page.locator("#choose-network-pairs-of").count(), 0);
  });

  test("pairs of 1,024 nodes are a map of blocks that tells its cells, beside one row for each pair", async () => {
    const { page } = await open(large);
    assert.deepEqual(await rowsOf(page, "network-pairs"), { total: 600, shown: 500 });
    await page.locator("#network-pairs .heat").focus();
    await page.keyboard.press("ArrowRight");
    const text = await page.locator("#network-pairs .readout").textContent();
    assert.match(text ?? "", /from ranks \d+–\d+, to ranks \d+–\d+: (not measured|[\d.]+ .s \[)/);
  });

  test("hosts with long names leave a map its room on a phone", async () => {
    const long = JSON.stringify(record).replaceAll(
      /"node(\d+)"/g,
      '"compute-partition-with-a-long-name-$1.example.org"',
    );
    const made = await pageOf("long", recordFile("long", JSON.parse(long) as object));
    const { page } = await open(made);
    await redrawnAt(page, 390);
    const [map, cell] = await Promise.all(
      ["#network-pairs svg", "#network-pairs .cell"].map((what) => page.locator(what).first().boundingBox()),
    );
    assert.ok(map && cell && 18 * cell.width > map.width / 3);
    await assertFits(page, made.path);
  });

  test("512 distances have a row each and bands in place of bars", async () => {
    const { page } = await open(large, { visit: "shared" });
    assert.deepEqual(await rowsOf(page, "network-distance"), { total: 512, shown: 500 });
    assert.equal(await page.locator("#network-distance .band").count(), 3);
    assert.equal(await page.locator("#network-distance .error").count(), 0);
  });

  test("the ratio stands beside each point of the bandwidth, and of many no two cover each other", async () => {
    const { page } = await open(small, { visit: "shared" });
    const labels = page.locator("#network-distance-bandwidth .point-label");
    assert.deepEqual(
      (await labels.allTextContents()).every((text) => /^\(\d+\.\d\d\)$/.test(text)),
      true,
    );
    assert.ok((await labels.count()) >= 2);
    const many = (await open(large)).page.locator("#network-distance-bandwidth .point-label");
    const boxes = await Promise.all((await many.all()).map((one) => one.boundingBox()));
    assert.ok(boxes.length >= 2);
    for (const [i, one] of boxes.entries())
      for (const other of boxes.slice(i + 1))
        assert.ok(
          one && other && (Math.abs(one.x - other.x) >= one.width || Math.abs(one.y - other.y) >= 10),
        );
  });

  test("pointing at a distance tells every statistic beside what is expected", async () => {
    const { page } = await open(small);
    await page.locator("#network-distance .plot svg").hover();
    const text = await page.locator("#network-distance .tooltip").textContent();
    assert.match(
      text ?? "",
      /distance between ranks.*ratDist.*slowest.*harmonic.*by link shares.*no contention/,
    );
  });

  test("curves mark the switch of the protocol on both of their figures", async () => {
    const { page } = await open(small);
    assert.equal(await page.locator("#network-curve-time .range").count(), 1);
    await page.locator("#choose-network-curves").selectOption({ label: "bandwidth" });
    await drawn(page);
    assert.equal(await page.locator("#network-curve-bandwidth .range").count(), 1);
  });

  test("titles of switches that lie together stand along them, none over another", async () => {
    const network = networkOf(record);
    const [near] = network.layers[0]?.switches ?? [];
    assert.ok(near);
    const layers = network.layers.map((layer, i) => {
      const [low, high] = [near.bytes.low * 2 ** i, near.bytes.high * 2 ** i];
      return { ...layer, switches: [{ ...near, bytes: { ...near.bytes, low, high } }] };
    });
    const facts = { ...record.facts, network: { ...network, layers } };
    const { page } = await open(await pageOf("switches", recordFile("switches", { ...record, facts })));
    const turned = page.locator("#network-curve-time .range-title[transform]");
    assert.deepEqual(await turned.allTextContents(), ["switch, same node", "switch, between nodes"]);
  });

  test("cells of like values are all labelled, whatever digits their intervals resolve", async () => {
    const many = exampleNetwork("sixteen-nodes", "--nodes", "16", "--probes", "net_node_pairs");
    const { page } = await open(await pageOf("sixteen-nodes", many));
    const map = page.locator("#network-node-pairs");
    assert.equal(await map.locator("rect.cell").count(), 16 * 15);
    assert.equal(await map.locator("text.in-cell").count(), 16 * 15);
  });

  test("keyboard reaches every choice, map and button of the network in reading order", async () => {
    const { page } = await open(small);
    await page.locator("#network-layers button.copy").focus();
    const reached = await tabStops(page, 60);
    const names = ["loggp", "choose-network-curves", "choose-network-pairs-of", "Heat map", "distance-by"];
    const places = [...names, "network-placement"].map((name) =>
      reached.findIndex((stop) => stop.toLowerCase().includes(name.toLowerCase())),
    );
    assert.ok(
      places.every((place, i) => place >= 0 && place >= (places[i - 1] ?? 0)),
      String(places),
    );
  });

  test("networks are compared by layer, and each can be looked at", async () => {
    const { page, errors } = await open(compared);
    const names = await page.locator("#headlines td:first-child").allTextContents();
    assert.ok(names.includes("message latency, same node"));
    assert.ok(names.includes("bandwidth into one node"));
    await lookAt(page, "alone");
    assert.equal(await page.locator("#network-distance").count(), 0);
    assert.deepEqual(errors, []);
  });

  test("a survey of a single probe shows its part alone", async () => {
    const files = Object.entries(aloneIn(networkOf(record))).map(([part, network]) =>
      recordFile(part, { ...record, facts: { ...record.facts, network: { ...NOTHING, ...network } } }),
    );
    const { page, errors } = await open(await pageOf("single", ...files));
    for (const part of Object.keys(aloneIn(networkOf(record)))) {
      await lookAt(page, part);
      const figures = await figuresOf(page);
      assert.ok(figures.includes(`network-${part}`), part);
      assert.ok(figures.filter((id) => id.startsWith("network-")).length <= 3, part);
      await assertTablesOf(page, "#section-network");
    }
    assert.deepEqual(errors, []);
  });

  test("an interrupted survey shows what it has and says how it ended", async () => {
    const samples = {
      ...record.samples,
      net_receiver: { ...record.samples.net_receiver, ended: "interrupted" },
    };
    const network = { ...networkOf(record), receiver: null, access: null };
    const cut = { ...record, samples, facts: { ...record.facts, network } };
    const { page, errors } = await open(await pageOf("cut", recordFile("cut", cut)));
    const figures = await figuresOf(page);
    assert.ok(figures.includes("network-distance") && !figures.includes("network-receiver"));
    assert.match((await page.locator("#samples").textContent()) ?? "", /net_receiverinterrupted/);
    assert.deepEqual(errors, []);
  });
});

const NOTHING = {
  layers: [],
  pairs: null,
  distance: null,
  access: null,
  receiver: null,
  topology: null,
  launches: [],
};

/** What a survey of one probe alone tells of the network, by the figure that shows it. */
function aloneIn({ layers, pairs, distance, access, receiver }: Network): Record<string, object> {
  const bare = { curve: [], loggp: null, concurrency: [], switches: [] };
  const only = (part: "curve" | "loggp" | "concurrency") =>
    layers.map((layer) => ({ ...layer, ...bare, [part]: layer[part] }));
  return {
    pairs: { pairs },
    "curve-time": { layers: only("curve") },
    loggp: { layers: only("loggp") },
    concurrency: { layers: only("concurrency") },
    distance: { distance },
    access: { access },
    receiver: { receiver },
  };
}

function networkOf({ facts }: Survey): Network {
  return facts.network;
}

function figuresOf(page: Page): Promise<string[]> {
  return page.locator("figure").evaluateAll((all) => all.map(({ id }) => id));
}
