/**
 * Where models are served, as their vendors document it: what a person would have to look up.
 *
 * `hint` says what is special about the place; an address on this machine needs no key.
 */
import type { Key } from '../i18n'

interface Preset {
  name: string
  base: string
  hint: Key
  /** What a model of that place is called, as an example to type. */
  model: string
}

export const PRESETS: Preset[] = [
  { name: 'DeepSeek', base: 'https://api.deepseek.com', model: 'deepseek-v4-flash', hint: 'preset.key.deepseek' },
  {
    name: 'DashScope',
    base: 'https://dashscope.aliyuncs.com/compatible-mode/v1',
    model: 'qwen-vl-max',
    hint: 'preset.key.dashscope',
  },
  { name: 'Zhipu', base: 'https://open.bigmodel.cn/api/paas/v4', model: 'glm-4.5v', hint: 'preset.key.zhipu' },
  { name: 'Moonshot', base: 'https://api.moonshot.cn/v1', model: 'kimi-k2.6', hint: 'preset.key.moonshot' },
  { name: 'OpenAI', base: 'https://api.openai.com/v1', model: 'gpt-4.1-mini', hint: 'preset.key.openai' },
  {
    name: 'OpenRouter',
    base: 'https://openrouter.ai/api/v1',
    model: 'qwen/qwen2.5-vl-72b-instruct',
    hint: 'preset.key.openrouter',
  },
  { name: 'Ollama', base: 'http://127.0.0.1:11434/v1', model: 'qwen2.5vl:7b', hint: 'preset.local.ollama' },
  // its own port is 8000, which is the console's
  { name: 'vLLM', base: 'http://127.0.0.1:8001/v1', model: 'Qwen/Qwen2.5-VL-7B-Instruct', hint: 'preset.local.vllm' },
  { name: 'llama.cpp', base: 'http://127.0.0.1:8080/v1', model: 'default', hint: 'preset.local.llamacpp' },
]

/** The place that an address belongs to. */
export function presetOf(base: string | undefined): Preset | undefined {
  const asked = base?.replace(/\/+$/, '')
  return PRESETS.find((preset) => preset.base === asked)
}
