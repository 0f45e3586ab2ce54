import { expect, test } from "vitest";
import { sha256, toHex, utf8 } from "../hashes/bytes";
import { GENESIS } from "../chain/chain";
import { type Bundle, verifyBundle } from "./evidence";
import { linkOf } from "../hashes/link";
import { leafHash } from "../hashes/merkle";
import { parseKey, signatureOf } from "../checkpoints/note";

const base64 = (bytes: Iterable<number>): string => btoa(String.fromCharCode(...bytes));

async function newKey(name: string) {
  const pair = await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]);
  const { privateKey, publicKey } = pair;
  const bytes = [1, ...new Uint8Array(await crypto.subtle.exportKey("raw", publicKey))];
  const id = (await sha256(Uint8Array.from([...utf8(`${name}\n`), ...bytes]))).slice(0, 4);
  const sign = async (text: string): Promise<string> => {
    const made = new Uint8Array(await crypto.subtle.sign("Ed25519", privateKey, utf8(text)));
    return `${text}\n— ${name} ${base64([...id, ...made])}\n`;
  };
  return { sign, text: `${name}+${toHex(id)}+${base64(bytes)}` };
}

const KEY = await newKey("agentlog/acme");
const OWNER = { tenant: "acme", threadId: "t1" };

async function bundle(): Promise<Bundle> {
  const event = {
    version: 1,
    position: 1,
    type: "reply",
    messageId: "01ARZ3NDEKTSV4RRFFQ69G5FAV",
    recordedAt: "2026-01-02T03:04:05.678901+00:00",
    body: btoa("{}"),
    bodySha256: toHex(await sha256(utf8("{}"))),
    metadata: null,
    chain: "",
  };
  const chain = (await linkOf(GENESIS.chain, OWNER, event)) ?? "";
  const bytes = Uint8Array.from(chain.match(/../g) ?? [], (digits) => parseInt(digits, 16));
  return {
    format: "agentlog-evidence-1",
    ...OWNER,
    version: 1,
    inclusion: { leafIndex: 0, treeSize: 1, path: [] },
    checkpoint: await KEY.sign(`agentlog/acme\n1\n${base64(await leafHash(bytes))}\n`),
    publicKey: KEY.text,
    events: [{ ...event, chain }],
  };
}

async function findings(changed: object, held: string | null = null): Promise<string[]> {
  const text = JSON.stringify({ ...(await bundle()), ...changed });
  const verdict = await verifyBundle(text, held === null ? null : await parseKey(held));
  return verdict.findings.map(({ what }) => what);
}

test("evidence is whole, by its own key and by the key that the reader holds", async () => {
  expect(await findings({})).toEqual([]);
  expect(await findings({}, KEY.text)).toEqual([]);
});

test("evidence that was changed says what is wrong", async () => {
  const { checkpoint, events, inclusion } = await bundle();
  expect(await findings({}, (await newKey("agentlog/acme")).text)).toEqual([
    "other-key",
    "signature-invalid",
  ]);
  expect(await findings({ checkpoint: checkpoint.replace("\n1\n", "\n2\n") })).toEqual([
    "signature-invalid",
    "not-included",
  ]);
  expect(await findings({ inclusion: { ...inclusion, leafIndex: 1 } })).toEqual(["not-included"]);
  expect(await findings({ version: 2 })).toEqual(["incomplete"]);
  expect(await findings({ tenant: "other" })).toEqual(["other-checkpoint", "link-broken"]);
  expect(await findings({ events: [{ ...events[0], body: btoa("{ }") }] })).toEqual([
    "body-altered",
  ]);
  await expect(verifyBundle("{}", null)).rejects.toThrow("has not the format");
});

test("a key is read only as it is written, and other signatures do not count", async () => {
  expect(await parseKey(KEY.text.replace("acme", "other"))).toBeNull();
  expect(await parseKey("agentlog")).toBeNull();
  const key = await parseKey(KEY.text);
  const other = await newKey("agentlog/acme");
  expect(key && (await signatureOf(await other.sign("a\n"), key))).toBe("other key");
  expect(key && (await signatureOf("a\n", key))).toBe("unsigned");
});
