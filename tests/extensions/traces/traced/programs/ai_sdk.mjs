// Records what Vercel's AI SDK sends as spans, and what its provider was asked.
//
// node ai_sdk.mjs FOLDER FILE [legacy]: FOLDER has `node_modules` with `ai`, `@ai-sdk/openai`, `zod`,
// `@opentelemetry/sdk-trace-node`, `@opentelemetry/exporter-trace-otlp-http`, and from version 7 on
// `@ai-sdk/otel`, whose older form of spans is `legacy`.
import fs from 'node:fs'
import http from 'node:http'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const [folder, file, form] = process.argv.slice(2)
const require = createRequire(`${folder}/package.json`)
const packageOf = (name) =>
  JSON.parse(fs.readFileSync(`${folder}/node_modules/${name}/package.json`))
async function load(name) {
  try {
    return await import(pathToFileURL(require.resolve(name)).href)
  } catch {
    const entry = packageOf(name).exports['.']
    const path = entry.import?.default ?? entry.import ?? entry.default
    return await import(pathToFileURL(`${folder}/node_modules/${name}/${path}`).href)
  }
}
const ai = await load('ai')
const { createOpenAI } = await load('@ai-sdk/openai')
const { z } = await load('zod')
const { NodeTracerProvider, BatchSpanProcessor } = await load('@opentelemetry/sdk-trace-node')
const { OTLPTraceExporter } = await load('@opentelemetry/exporter-trace-otlp-http')
const version = packageOf('ai').version
const major = Number(version.split('.')[0])

const spans = []
const asked = []
const usage = {
  prompt_tokens: 150,
  completion_tokens: 30,
  total_tokens: 180,
  prompt_tokens_details: { cached_tokens: 40 },
  completion_tokens_details: { reasoning_tokens: 12 },
}
const call = (id, name, args) => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(args) },
})
function answer(request) {
  const last = request.messages.at(-1)
  if (request.response_format) return { content: '{"city":"Lima","degrees":17}' }
  if (last.role === 'tool') return { content: 'Lima has 17 degrees; Oslo is unknown.' }
  if (JSON.stringify(last.content).includes('thanks')) return { content: 'You are welcome.' }
  const calls = [
    call('call_lima', 'weather', { city: 'Lima' }),
    call('call_oslo', 'weather', { city: 'Oslo' }),
  ]
  return { content: 'I look it up.', tool_calls: calls }
}
function stream(response, message, reason) {
  const send = (value) =>
    response.write(
      `data: ${JSON.stringify({ id: 'cmpl-1', object: 'chat.completion.chunk', created: 1780000000, model: 'gpt-4o-2024-08-06', ...value })}\n\n`,
    )
  const delta = (value, finish = null) =>
    send({ choices: [{ index: 0, delta: value, finish_reason: finish }] })
  delta({ role: 'assistant', content: message.content })
  for (const [index, made] of (message.tool_calls ?? []).entries())
    delta({ tool_calls: [{ index, ...made }] })
  delta({}, reason)
  send({ choices: [], usage })
  response.end('data: [DONE]\n\n')
}
const server = http.createServer(async (request, response) => {
  const parts = []
  for await (const part of request) parts.push(part)
  const body = JSON.parse(Buffer.concat(parts))
  const reply = (value) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(value))
  }
  if (request.url.endsWith('/v1/traces')) {
    spans.push(body)
    return reply({})
  }
  if (request.url.endsWith('/embeddings')) {
    const data = [{ embedding: [0.5, 0.25], index: 0 }]
    return reply({ data, model: body.model, usage: { prompt_tokens: 4, total_tokens: 4 } })
  }
  const message = answer(body)
  asked.push({ messages: body.messages, answer: message })
  const reason = message.tool_calls ? 'tool_calls' : 'stop'
  if (body.stream) {
    response.setHeader('content-type', 'text/event-stream')
    return stream(response, message, reason)
  }
  const choice = { index: 0, message: { role: 'assistant', ...message }, finish_reason: reason }
  const model = 'gpt-4o-2024-08-06'
  const created = 1780000000
  reply({ id: 'cmpl-1', object: 'chat.completion', created, model, choices: [choice], usage })
})
await new Promise((done) => server.listen(0, '127.0.0.1', done))
const url = `http://127.0.0.1:${server.address().port}/v1`

const exporter = new OTLPTraceExporter({ url: `${url}/traces` })
const provider = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] })
provider.register()
if (major >= 7) {
  const otel = await load('@ai-sdk/otel')
  const Telemetry = form === 'legacy' ? otel.LegacyOpenTelemetry : otel.OpenTelemetry
  ai.registerTelemetry(new Telemetry())
}
const openai = createOpenAI({ baseURL: url, apiKey: 'k', compatibility: 'strict' })
const model = openai.chat('gpt-4o')
const weather = {
  description: 'Weather of a city',
  [major >= 5 ? 'inputSchema' : 'parameters']: z.object({ city: z.string() }),
  execute: async ({ city }) => {
    if (city === 'Lima') return { degrees: 17, sky: 'clear' }
    if (major < 5) return 'no station in Oslo' // its errors end the run
    throw new Error('no station in Oslo')
  },
}
const traced = (name) => ({
  [major >= 7 ? 'telemetry' : 'experimental_telemetry']: {
    isEnabled: true,
    functionId: name,
    metadata: { sessionId: `ai-${name}`, userId: 'u1' },
  },
})
const steps = major >= 5 ? { stopWhen: (ai.stepCountIs ?? ai.isStepCount)(5) } : { maxSteps: 5 }
const common = { model, system: 'You help with the weather.', tools: { weather }, ...steps }
const question = { role: 'user', content: 'Weather in Lima and Oslo?' }
async function read(result) {
  for await (const text of result.textStream) void text
}

const first = await ai.generateText({ ...common, prompt: question.content, ...traced('desk') })
const history = [question, ...first.response.messages, { role: 'user', content: 'thanks' }]
await read(ai.streamText({ ...common, messages: history, ...traced('desk') }))
await read(ai.streamText({ ...common, messages: [question], ...traced('stream') }))
const schema = z.object({ city: z.string(), degrees: z.number() })
const mode = major < 5 ? { mode: 'json' } : {}
await ai.generateObject({ model, schema, prompt: 'Lima as an object', ...mode, ...traced('object') })
const embedding = (openai.textEmbeddingModel ?? openai.embedding)('text-embedding-3-small')
await ai.embed({ model: embedding, value: 'sunny day', ...traced('embed') })

await provider.shutdown()
server.close()
const text = JSON.stringify({ version, asked, spans }, null, 1)
fs.writeFileSync(file, text.replaceAll(/(Error: no station in Oslo)\\n[^"]*/g, '$1'))
process.exit(0)
