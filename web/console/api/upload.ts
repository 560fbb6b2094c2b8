/** Send a file and say how far it is; `fetch` does not tell. */
import { ApiError, csrf, failure, toLogin } from './client'

/** POST a file as `multipart/form-data`; `stop` breaks it off. */
export function upload<T>(path: string, file: File, progress: (share: number) => void): { done: Promise<T>; stop: () => void } {
  const asking = new XMLHttpRequest()
  const form = new FormData()
  form.append('file', file, file.name)
  const done = new Promise<T>((resolve, reject) => {
    asking.upload.onprogress = (event) => event.lengthComputable && progress(event.loaded / event.total)
    asking.onerror = asking.onabort = () => reject(ApiError.offline())
    asking.onload = () => {
      if (asking.status < 300) return resolve(JSON.parse(asking.responseText) as T)
      if (asking.status === 401) toLogin()
      reject(failure(asking.status, asking.responseText))
    }
  })
  asking.open('POST', path)
  asking.setRequestHeader('X-CSRF-Token', csrf())
  asking.send(form)
  return { done, stop: () => asking.abort() }
}
