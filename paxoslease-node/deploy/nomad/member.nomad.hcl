# One member of a cell on Nomad, with Consul's names. Run it three times, one after the other: docs/operations/platforms.md.
variable "member" {
  type        = string
  description = "The member's id: lease-0, lease-1 or lease-2"
}

variable "image" {
  type    = string
  default = "paxoslease-node"
}

job "member" {
  id          = var.member
  name        = var.member
  type        = "service"
  datacenters = ["*"]

  group "member" {
    count = 1

    # The old process ends before the new one starts: never two under one id.
    update {
      max_parallel = 1
      canary       = 0
    }

    network {
      port "lease" { static = 7400 } # so no two members are on one machine
      port "http" { to = 8080 }
    }

    service {
      name = var.member # lease-0.service.consul: the others must find it before it votes
      port = "lease"
      check {
        type     = "tcp"
        interval = "2s"
        timeout  = "1s"
      }
    }

    # The deployment waits until it votes.
    service {
      name = "${var.member}-ready"
      port = "http"
      check {
        type     = "http"
        path     = "/readyz"
        interval = "2s"
        timeout  = "2s"
      }
    }

    task "member" {
      driver       = "docker"
      kill_timeout = "15s"

      config {
        image = var.image
        ports = ["lease", "http"]
      }

      env {
        PAXOSLEASE_NODE_ID   = var.member
        PAXOSLEASE_BIND_HOST = "0.0.0.0"
        PAXOSLEASE_CELL      = "shop"
        PAXOSLEASE_PEERS     = "lease-0=lease-0.service.consul:7400,lease-1=lease-1.service.consul:7400,lease-2=lease-2.service.consul:7400"
      }

      resources {
        cpu    = 200
        memory = 256
      }
    }
  }
}
