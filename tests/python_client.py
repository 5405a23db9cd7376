"""python_client.py URL TOKEN: the official Python MCP client against our endpoint, in both its modes."""
import asyncio
import sys

from mcp import Client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client


async def go(url, token, mode):
    http = create_mcp_http_client(headers={"Authorization": f"Bearer {token}"})
    async with Client(streamable_http_client(url, http_client=http), mode=mode) as client:
        made = await client.call_tool("progress_create", {"subject": "from Python é漢🚀"})
        assert not made.is_error, made
        bad = await client.call_tool("progress_create", {"subject": "x", "bogus": 1})
        assert bad.is_error and "bogus" in bad.content[0].text, bad
        many = await asyncio.gather(*[client.call_tool("progress_list", {}) for _ in range(50)])
        assert all(not one.is_error for one in many)
        print(mode, client.protocol_version, "ok")


for mode in ["auto", "legacy"]:
    asyncio.run(go(sys.argv[1], sys.argv[2], mode))
