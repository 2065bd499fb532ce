-- In the place of wsapi.request: a request is its body.
wsapi = wsapi or {}
wsapi.request = {new = function(environment) return {POST = {post_data = environment.post_data}} end}
return wsapi.request
